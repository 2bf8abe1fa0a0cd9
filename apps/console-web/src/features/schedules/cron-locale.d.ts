declare module 'cronstrue/locales/pt_BR';
