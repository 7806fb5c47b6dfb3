/** The support desk's look-ups and records, and the lifecycle of a ticket. */
import { reading, recording } from './operations.ts'
import type { TemplateDefinition } from './template.ts'

const shop = 'shop'
const text = (description: string, maxLength = 200) => ({ type: 'string', minLength: 1, maxLength, description })

const orders: TemplateDefinition = {
  name: 'orders',
  kind: 'operations',
  description:
    'Looks orders up in the shop, over the Connection that is bound as `shop`. Change the paths to those of your own API.',
  source: {
    operations: [
      reading(
        {
          name: 'find',
          description: 'Finds one order by its number: what was ordered, what was paid, where the parcel is.',
          takes: { orderNumber: text('As the customer wrote it, without the word "order" or a #.', 64) },
        },
        { connection: shop, path: '/orders/{{input.orderNumber}}' },
      ),
      reading(
        {
          name: 'of-customer',
          description: 'Lists the latest orders of a customer, when the number of the order is not known.',
          takes: {
            email: text("The customer's address, as it stands in the conversation.", 254),
            limit: { type: 'integer', minimum: 1, maximum: 20, description: 'How many; left out: as the shop likes.' },
          },
          required: ['email'],
        },
        { connection: shop, path: '/orders', query: { email: '{{input.email}}', limit: '{{input.limit}}' } },
      ),
    ],
  },
}

const desk: TemplateDefinition = {
  name: 'desk',
  kind: 'operations',
  description: 'Puts on record what a conversation was about, for statistics and for the next colleague.',
  source: {
    operations: [
      recording({
        name: 'record-case',
        description:
          'Puts on record what the customer wanted and what came of it. It goes to nobody and changes nothing.',
        takes: {
          topic: {
            type: 'string',
            enum: ['delivery', 'return', 'payment', 'product', 'account', 'complaint', 'other'],
            description: 'What it was about, mainly.',
          },
          outcome: {
            type: 'string',
            enum: ['answered', 'asked-back', 'escalated', 'refused'],
            description: 'What the customer is told.',
          },
          orderNumber: text('If it was about an order.', 64),
          summary: text('One or two sentences, without personal data.', 500),
        },
        required: ['topic', 'outcome', 'summary'],
      }),
    ],
  },
}

const ticket: TemplateDefinition = {
  name: 'ticket',
  kind: 'entity',
  description: 'What a ticket holds, and what can happen to it from the first message until it is closed.',
  source: {
    schema: {
      type: 'object',
      properties: {
        subject: text('What the customer wants.'),
        customer: text('An address, or the number of the customer.', 254),
        orderNumber: text('If it is about an order.', 64),
        urgency: { type: 'string', enum: ['low', 'normal', 'high'] },
      },
      required: ['subject', 'customer', 'urgency'],
      additionalProperties: false,
    },
    states: {
      initial: 'open',
      states: {
        open: { on: { ask: 'waiting-for-customer', escalate: 'escalated', solve: 'solved' } },
        'waiting-for-customer': { on: { reply: 'open', expire: 'closed' } },
        escalated: { on: { decide: 'open', solve: 'solved' } },
        solved: { on: { reopen: 'open', close: 'closed' } },
        closed: { final: true },
      },
    },
  },
}

export const supportDeskDefinitions: readonly TemplateDefinition[] = [orders, desk, ticket]
