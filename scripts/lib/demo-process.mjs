/** The settings of the demo process. Its flow, DEMO_FLOW, adds up an order, notes whether it needs approval, and sends it to the orders system. */
export const DEMO_PROCESS = {
  processName: 'Order intake',
  description: 'Takes an order, works out totals and taxes, asks for approval of large ones and sends it on.',
  avgHumanTime: '00:12:00',
  avgOperatorCost: 45.5,
};

export const DEMO_ITEMS = [
  { description: 'Café torrado 1 kg', quantity: 12, price: 'R$ 38,90' },
  { description: 'Moinho elétrico', quantity: 1, price: 'R$ 1.249,00' },
];

export function demoMatrix(ordersUrl) {
  return [
    { name: 'customer', type: 'Texto', default: 'Padaria Aurora' },
    { name: 'items', type: 'Lista', default: DEMO_ITEMS },
    { name: 'freight', type: 'Moeda', default: 'R$ 15,90' },
    { name: 'approvalLimit', type: 'Moeda', default: 'R$ 2.000,00' },
    { name: 'ordersUrl', type: 'Texto', default: ordersUrl },
    { name: 'token', type: 'Secreto' },
  ];
}

/** JavaScript of a formula: the price of `item`, a text such as `R$ 38,90`, as a number. */
const PRICE_EXPRESSION = "Number(item.price.replace(/[^0-9,]/g, '').replace(',', '.'))";

export const DEMO_FLOW = {
  start: 'Sum up',
  steps: [
    {
      name: 'Sum up',
      type: 'variables',
      rows: [
        formula('subtotal', `{matrix.items}.reduce((sum, item) => sum + item.quantity * ${PRICE_EXPRESSION}, 0)`),
        formula('discount', '{subtotal} > 500 ? {subtotal} * 0.05 : 0'),
        formula('icms', '({subtotal} - {discount}) * 0.18'),
        formula('total', '{subtotal} - {discount} + {icms} + {matrix.freight}'),
        { name: 'approval', mode: 'Fixo', value: 'approved at once' },
      ],
      routes: [{ when: '{total} > {matrix.approvalLimit}', to: 'Hold for approval' }, { to: 'Send the order' }],
    },
    {
      name: 'Hold for approval',
      type: 'variables',
      rows: [
        {
          name: 'approval',
          mode: 'Variável ou texto',
          value: 'to be approved, R$ {total} is above R$ {matrix.approvalLimit}',
          assign: true,
        },
      ],
      routes: [{ to: 'Send the order' }],
    },
    {
      name: 'Send the order',
      type: 'rest',
      method: 'POST',
      url: '{matrix.ordersUrl}',
      headers: { authorization: 'Bearer {matrix.token}', 'content-type': 'application/json' },
      body: { customer: '{matrix.customer}', items: '{matrix.items}', total: '{total}', approval: '{approval}' },
      timeoutSeconds: 10,
      as: 'receipt',
      routes: [{ when: '{receipt.status} < 300', to: 'Confirm' }, { to: 'Give up' }],
      onError: [{ to: 'Give up' }],
    },
    {
      name: 'Confirm',
      type: 'variables',
      rows: [
        {
          name: 'confirmation',
          mode: 'Variável ou texto',
          value: 'Order {receipt.body.orderNumber} of {matrix.customer}: R$ {total}, {approval}',
        },
      ],
    },
    { name: 'Give up', type: 'variables', routes: [{ terminate: true }] },
  ],
};

function formula(name, value) {
  return { name, mode: 'Fórmula', value, type: 'Moeda' };
}
