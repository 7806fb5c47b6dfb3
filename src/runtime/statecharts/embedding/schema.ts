/** The shapes of embedded charts. Source: contract 9. */
import { Type } from '@sinclair/typebox'
import { dataOf, Timestamp } from '../../../platform/http/schema.ts'
import { ActorPath, MachinePath } from '../schema.ts'
import { ticketLengthMax } from './tickets.ts'

const day = 86_400
export const defaultLifetimeSeconds = 3_600

export const NewEmbedTicket = Type.Object(
  {
    lifetimeSeconds: Type.Optional(
      Type.Integer({ minimum: 60, maximum: day, description: 'How long it is valid; an hour unless given.' }),
    ),
  },
  { $id: 'NewEmbedTicket', description: 'A ticket to be issued.' },
)

export const EmbedTicketAnswer = dataOf(
  Type.Object(
    {
      url: Type.String({ description: 'The page with the live chart, for a frame.' }),
      ticket: Type.String({ description: 'The ticket in it.' }),
      expiresAt: Timestamp('It ends earlier if the credential that issued it ends or can no longer read the actor.'),
    },
    { $id: 'EmbedTicket', description: 'Shows the live chart of one actor to anyone who has its address.' },
  ),
)

export const EmbeddedPath = Type.Object({ ...MachinePath.properties, ...ActorPath.properties })

export const TicketQuery = Type.Object({
  ticket: Type.String({ minLength: 1, maxLength: ticketLengthMax, description: 'The ticket, as it was issued.' }),
})
