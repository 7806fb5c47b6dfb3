/** The endpoint for Stripe's events. Source: contract 8, "Inbound events". */
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { notFound } from '../../platform/http/answers/errors.ts'
import { doc } from '../../platform/http/doc.ts'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import type { StripeInbox } from './inbox.ts'

/** Without Stripe there is no such path. */
export const stripeRoutes = ({ guarded, inbox }: { guarded: Guarded; inbox: StripeInbox | null }) =>
  new Elysia({ name: 'stripe', prefix: '/api/billing/stripe', tags: ['Billing'] }).use(guarded).post(
    '/webhook',
    async ({ request }) => {
      if (!inbox) throw notFound()
      await inbox.take(request)
      return { received: true as const }
    },
    {
      publicAccess: true,
      ownBody: true,
      response: {
        200: Type.Object(
          { received: Type.Literal(true) },
          { $id: 'StripeReceipt', description: 'The event is stored.' },
        ),
      },
      errors: ['invalid_signature', 'payload_too_large', 'store_unavailable', 'service_unavailable', 'not_found'],
      detail: doc(
        'receiveStripeEvent',
        'Receive an event from Stripe',
        'The webhook endpoint to configure at Stripe. Accepts events that are signed with its secret (`Stripe-Signature`) and not older ' +
          'than 5 minutes, then reads the subscription from Stripe. Exists only with Stripe.',
      ),
    },
  )
