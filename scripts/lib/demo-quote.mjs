/** The settings of the demo process for webhooks: a shop sends a cart and gets the price of the freight. */
export const QUOTE_PROCESS = {
  processName: 'Freight quote',
  description: 'Answers the cart of an online shop with the price of its goods and of sending them.',
  avgHumanTime: '00:04:00',
  avgOperatorCost: 45.5,
};

export const QUOTE_MATRIX = [
  { name: 'cart', type: 'Texto' },
  { name: 'customer', type: 'Texto', default: 'somebody' },
  { name: 'items', type: 'Lista' },
  { name: 'store', type: 'Texto', default: 'the main store' },
];

/** Variable name → JSON pointer into the shop's payload. */
export const QUOTE_MAPPING = {
  cart: '/cart/id',
  customer: '/cart/customer/name',
  items: '/cart/items',
  store: '/_query/store',
};

export const QUOTE_ORIGINS = {
  immediate: { name: 'Shop events', responseMode: 'Imediata', waitSeconds: 30 },
  waiting: { name: 'Shop checkout', responseMode: 'Aguardar', waitSeconds: 30 },
};

/** The payload of a call of the shop. */
export const QUOTE_EXAMPLE = {
  cart: {
    id: 'C-1042',
    customer: { name: 'Empório São João' },
    items: [
      { sku: 'CAFE-1KG', quantity: 12, price: 38.9, weightKg: 1 },
      { sku: 'MOINHO', quantity: 1, price: 1249, weightKg: 4.5 },
    ],
  },
};

export const QUOTE_FLOW = {
  start: 'Work it out',
  steps: [
    {
      name: 'Work it out',
      type: 'variables',
      rows: [
        row('goods', 'Moeda', '{matrix.items}.reduce((sum, item) => sum + item.quantity * item.price, 0)'),
        row('weight', 'Número', '{matrix.items}.reduce((sum, item) => sum + item.quantity * item.weightKg, 0)'),
        row('freight', 'Moeda', '{weight} > 0 ? 12 + {weight} * 2.4 : 0'),
        row('total', 'Moeda', '{goods} + {freight}'),
      ],
      routes: [{ to: 'Answer the shop' }],
    },
    {
      name: 'Answer the shop',
      type: 'webhookResponse',
      code: 200,
      body: [
        '{ "cart": "{{matrix.cart}}", "customer": "{{matrix.customer}}", "store": "{{matrix.store}}",',
        '"goods": {{goods}}, "weightKg": {{weight}}, "freight": {{freight}}, "total": {{total}} }',
      ].join(' '),
      routes: [{ to: 'Keep a note' }],
    },
    {
      name: 'Keep a note',
      type: 'variables',
      rows: [
        {
          name: 'note',
          mode: 'Variável ou texto',
          value: 'Quoted R$ {total} for cart {matrix.cart} of {matrix.customer} ({matrix.store})',
        },
      ],
    },
  ],
};

function row(name, type, value) {
  return { name, mode: 'Fórmula', value, type };
}
