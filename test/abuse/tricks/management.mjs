const CALLS = 200;

export const management = {
  name: 'management',
  what: `${CALLS} calls of the management API at full rate with one session`,

  async round(at) {
    const { processID } = at.world.plants.starts;
    const paths = [
      '/processes?limit=500',
      '/environments?limit=500',
      '/credentials?limit=500',
      `/processes/${processID}/instances?limit=500`,
      `/processes/${processID}/audit?limit=500`,
      '/vault',
    ];
    await at.repeat(at.isShort ? 60 : CALLS, 20, (number) => at.manage('GET', paths[number % paths.length]));
  },
};
