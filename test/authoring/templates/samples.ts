/** Inputs and outputs for the Agents of templates in tests. */

/** Valid and invalid output of each Agent with structured output; by `<template>/<agent>`. */
export const answers: Record<string, { fits: object; doesNot: object }> = {
  'invoice-extraction/invoice-reader': {
    fits: {
      invoiceNumber: '2026-17',
      issueDate: '2026-01-05',
      dueDate: null,
      seller: { name: 'Acme', address: null, taxId: null },
      buyer: { name: null, address: null, taxId: null },
      currency: 'EUR',
      lines: [{ description: 'Nails', quantity: 2, unitPrice: 1.5, amount: 3, taxRate: 19 }],
      netTotal: 3,
      taxTotal: 0.57,
      grossTotal: 3.57,
      paymentReference: null,
      iban: null,
      problems: [],
    },
    doesNot: { invoiceNumber: '2026-17' },
  },
  'tutor/exercise-maker': {
    fits: { exercises: [{ task: '1/2 + 1/3', solution: '5/6', mistake: 'Adds the denominators.' }] },
    doesNot: { exercises: [] },
  },
}

/** The input of each operation with an echo handler, by `<definition>.<operation>`. */
export const records: Record<string, object> = {
  'desk.record-case': { topic: 'delivery', outcome: 'escalated', summary: 'The parcel is late.' },
  'timeline.note': { at: '2026-01-31T14:05:00Z', kind: 'noticed', what: 'Checkout answers 500.', source: 'on call' },
  'progress.record': { skill: 'add fractions', level: 'with-help', evidence: '1/2 + 1/3, after a hint.' },
}

/** The input of each operation over a Connection, and the resulting request; a source is stored with its keys in order. */
export const requests: Record<string, { input: object; asks: string }> = {
  'orders.find': { input: { orderNumber: 'A 17/2' }, asks: '/v1/orders/A%2017%2F2' },
  'orders.of-customer': { input: { email: 'jo@example.com' }, asks: '/v1/orders?email=jo%40example.com' },
  'monitoring.alerts': {
    input: { since: '2026-01-31T13:00:00Z', service: 'checkout' },
    asks: '/v1/alerts?since=2026-01-31T13%3A00%3A00Z&service=checkout',
  },
  'monitoring.deployments': {
    input: { since: '2026-01-31T13:00:00Z' },
    asks: '/v1/deployments?since=2026-01-31T13%3A00%3A00Z',
  },
  'repository.tags': { input: {}, asks: '/v1/tags?per_page=20' },
  'repository.commits': { input: { of: 'v2.3.0', page: 2 }, asks: '/v1/commits?sha=v2.3.0&per_page=20&page=2' },
  'repository.change': { input: { number: 123 }, asks: '/v1/issues/123' },
}
