/** Embedded live charts: tickets for one actor, and the views of a ticket's holder. Source: contract 9. */
import { Elysia } from 'elysia'
import type { Chart } from '../../../../machines/charts/chart.ts'
import { orNotFound } from '../../../platform/http/answers/errors.ts'
import { streamed } from '../../../platform/http/answers/streamed.ts'
import { doc } from '../../../platform/http/doc.ts'
import { eventStreamOf } from '../../../platform/http/event-stream.ts'
import type { Naming, PublicNaming } from '../../../platform/http/guard/find.ts'
import type { Guarded } from '../../../platform/http/guard/guarded.ts'
import { LastEventIdHeader } from '../../../platform/http/schema.ts'
import { timestamp } from '../../../platform/http/timestamp.ts'
import { describeChart } from '../describe.ts'
import type { StreamedMove } from '../live/follow.ts'
import { openActorStream, type StreamReader } from '../live/open-stream.ts'
import type { Watch } from '../live/watch.ts'
import { ActorPath, EmbeddedActorEvent, Machine } from '../schema.ts'
import { defaultLifetimeSeconds, EmbeddedPath, EmbedTicketAnswer, NewEmbedTicket, TicketQuery } from './schema.ts'
import { type ViewerParts, Viewers } from './viewers.ts'

export interface EmbeddingParts extends ViewerParts {
  guarded: Guarded
  /** The origin of the pages. */
  consoleUrl(): string
}

export interface Watched {
  watch: Watch
  chart: Chart
}

/** Omits the sender and the reason of a transition: the page around the chart may be public. */
const shownMove = ({
  sequence,
  from,
  to,
  event,
  at,
}: Pick<StreamedMove, 'sequence' | 'from' | 'to' | 'event' | 'at'>) => ({
  sequence,
  from,
  to,
  event,
  at,
})

const shown: NonNullable<StreamReader['shown']> = {
  view: ({ address, machineVersion, state, journal }) => ({
    address,
    machineVersion,
    state,
    journal: journal.map(shownMove),
  }),
  move: shownMove,
}

/** The routes of one kind. */
export function embedTicketRoutes(
  { guarded, embedTickets, clock, consoleUrl }: EmbeddingParts,
  { watch }: Watched,
  name: string,
) {
  const { kind, readPermission: permission, orPermissions } = watch
  const find = async ({ caller, params }: Naming<typeof ActorPath>) => {
    await watch.assertVisible(caller, params.id)
    await watch.actor(params.id)
  }

  return new Elysia({ name: `embed-tickets/${kind}`, prefix: `/api/v1/actors/${kind}`, tags: ['Machines'] })
    .use(guarded)
    .post(
      '/:id/embed-tickets',
      async ({ caller, params: { id }, body: { lifetimeSeconds = defaultLifetimeSeconds } }) => {
        await find({ caller, params: { id } })
        const endsAt = Math.floor(clock.now() / 1_000 + lifetimeSeconds) * 1_000
        const ticket = await embedTickets.issue({ address: { kind, id }, holder: caller, endsAt })
        const url = `${consoleUrl()}/embed/actors/${kind}/${encodeURIComponent(id)}?ticket=${ticket}`
        return { data: { url, ticket, expiresAt: timestamp(endsAt) } }
      },
      {
        permission,
        orPermissions,
        resource: null,
        params: ActorPath,
        find,
        body: NewEmbedTicket,
        response: { 201: EmbedTicketAnswer },
        detail: doc(
          `create${name}EmbedTicket`,
          'Create an embed ticket for an actor',
          "The ticket's address shows the statechart, the state and the transitions of this one actor without a session, " +
            'but neither its context nor who caused a transition. Tickets are not stored. A ticket ends when the ' +
            'credential that issued it ends or can no longer read the actor. Streams opened with the ticket count as ' +
            'streams of that credential. `TROUPE_EMBED_ANCESTORS` lists the pages that may frame it.',
        ),
      },
    )
}

/** The views of ticket holders, for all kinds. */
export function embeddedActorRoutes(parts: EmbeddingParts, watched: readonly Watched[]) {
  const viewers = new Viewers(parts)
  const byKind = new Map(watched.map((one) => [one.watch.kind, one]))
  const find = ({ params: { kind } }: PublicNaming<typeof EmbeddedPath>): Watched => orNotFound(byKind.get(kind))

  return new Elysia({ name: 'embedded-actors', prefix: '/api/v1/embedded-actors/:kind/:id', tags: ['Machines'] })
    .use(parts.guarded)
    .get(
      '/machine',
      async ({ params, query }) => {
        const { watch, chart } = find({ params })
        await viewers.admit(watch, params, query.ticket)
        const { row } = await watch.actor(params.id)
        return { data: watch.describe(row, chart) ?? describeChart(chart) }
      },
      {
        publicAccess: true,
        params: EmbeddedPath,
        query: TicketQuery,
        find,
        response: { 200: Machine },
        errors: ['invalid_ticket', 'store_unavailable'],
        detail: doc('getEmbeddedActorMachine', 'Get the statechart of an embedded actor'),
      },
    )
    .get(
      '/stream',
      async ({ params, query, request, server, set }) => {
        const { watch } = find({ params })
        const { admission } = await viewers.admit(watch, params, query.ticket)
        const stream = await openActorStream(watch, params.id, { request, admission, shown })
        return streamed({ request, set, server }, stream)
      },
      {
        publicAccess: true,
        params: EmbeddedPath,
        query: TicketQuery,
        find,
        headers: LastEventIdHeader,
        errors: ['invalid_ticket', 'validation_failed', 'limit_exceeded', 'too_many_streams', 'store_unavailable'],
        detail: doc(
          'streamEmbeddedActor',
          'Stream an embedded actor',
          "Like the actor's own stream, limited to the state, event and time of each transition. When the ticket ends, " +
            'or the actor is deleted, the last event is `end` with `{reason: "revoked"}`.',
          {
            responses: {
              200: eventStreamOf(EmbeddedActorEvent),
              204: { description: 'The actor is at its end, and the reader has everything.' },
            },
          },
        ),
      },
    )
}
