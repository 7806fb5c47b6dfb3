/**
 * The statechart API: the charts of every kind, and the views of actors. Source: contract 9; contract 5, "Machines".
 */
import { Elysia } from 'elysia'
import type { Chart } from '../../../machines/charts/chart.ts'
import { orNotFound } from '../../platform/http/answers/errors.ts'
import { streamed } from '../../platform/http/answers/streamed.ts'
import { doc } from '../../platform/http/doc.ts'
import { eventStreamOf } from '../../platform/http/event-stream.ts'
import type { Naming } from '../../platform/http/guard/find.ts'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import { LastEventIdHeader } from '../../platform/http/schema.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { AnyKind } from '../kind.ts'
import { describeChart } from './describe.ts'
import { type EmbeddingParts, embeddedActorRoutes, embedTicketRoutes, type Watched } from './embedding/routes.ts'
import { openActorStream } from './live/open-stream.ts'
import { previewEvent } from './live/preview.ts'
import { verifyActor } from './live/verify.ts'
import { viewActor } from './live/view.ts'
import { Watch, type WatchParts } from './live/watch.ts'
import {
  ActorEvent,
  ActorPath,
  ActorState,
  Machine,
  MachineList,
  MachinePath,
  PreviewBody,
  PreviewResult,
  VerifyResult,
} from './schema.ts'
import { actorSimulationRoutes, type MachineSimulationParts, machineSimulationRoutes } from './simulation/routes.ts'

export interface StatechartParts extends WatchParts, EmbeddingParts, MachineSimulationParts {
  clock: Clock
  /** Kinds with a view, which can be watched. */
  kinds: readonly AnyKind[]
  charts: readonly Chart[]
}

function machineRoutes({ guarded, charts }: StatechartParts) {
  const byKind = new Map(charts.map((chart) => [chart.machine.id, chart]))
  const find = ({ params }: Pick<Naming<typeof MachinePath>, 'params'>): Chart => {
    return orNotFound(byKind.get(params.kind))
  }

  return new Elysia({ name: 'machines', prefix: '/api/v1', tags: ['Machines'] })
    .use(guarded)
    .get(
      '/machines',
      () => {
        const described = charts.map(describeChart)
        return {
          data: { items: described.map(({ kind, version, title, about }) => ({ kind, version, title, about })) },
        }
      },
      {
        publicAccess: true,
        response: { 200: MachineList },
        detail: doc('listMachines', 'List statecharts', 'One for each kind of actor.'),
      },
    )
    .get('/machines/:kind', ({ params }) => ({ data: describeChart(find({ params })) }), {
      publicAccess: true,
      params: MachinePath,
      find,
      response: { 200: Machine },
      detail: doc('getMachine', 'Get a statechart', 'By the kind of actor.'),
    })
}

/** The name of a kind in operation ids: `AgentJob` for `agent-job`. */
const nameOf = (kind: string) => kind.replace(/(?:^|-)(.)/g, (_, letter: string) => letter.toUpperCase())

/** Each kind has its own set of routes, so that each names its permission and the guard can check it first. */
function actorRoutes(guarded: Guarded, watch: Watch, chart: Chart) {
  const { kind, readPermission: permission, orPermissions } = watch
  const name = nameOf(kind)

  const find = async ({ caller, params }: Naming<typeof ActorPath>) => {
    await watch.assertVisible(caller, params.id)
    await watch.actor(params.id)
  }

  return new Elysia({ name: `actors/${kind}`, prefix: `/api/v1/actors/${kind}`, tags: ['Machines'] })
    .use(guarded)
    .get(
      '/:id',
      async ({ caller, params }) => {
        await watch.assertVisible(caller, params.id)
        return { data: (await viewActor(watch, params.id)).view }
      },
      {
        permission,
        orPermissions,
        params: ActorPath,
        find,
        response: { 200: ActorState },
        detail: doc(`get${name}Actor`, 'Where the actor stands'),
      },
    )
    .get(
      '/:id/machine',
      async ({ caller, params }) => {
        await watch.assertVisible(caller, params.id)
        const { row } = await watch.actor(params.id)
        return { data: watch.describe(row, chart) ?? describeChart(chart) }
      },
      {
        permission,
        orPermissions,
        params: ActorPath,
        find,
        response: { 200: Machine },
        detail: doc(
          `get${name}ActorMachine`,
          "Get the actor's statechart",
          'The statechart of its kind, or its own if each actor of the kind has one.',
        ),
      },
    )
    .get(
      '/:id/stream',
      async ({ caller, admission, params, request, server, set }) => {
        await watch.assertVisible(caller, params.id)
        const stream = await openActorStream(watch, params.id, { request, admission })
        return streamed({ request, set, server }, stream)
      },
      {
        permission,
        orPermissions,
        streaming: true,
        params: ActorPath,
        find,
        headers: LastEventIdHeader,
        errors: ['validation_failed', 'limit_exceeded', 'too_many_streams'],
        detail: doc(
          `stream${name}Actor`,
          'Stream an actor',
          'Server-sent events: `actor.snapshot` (the actor as it is now), then `actor.transition` for each transition, ' +
            'and `end` when no more can follow. `Last-Event-ID` resumes after that transition; 204 if nothing is left ' +
            'to send. When the credential can no longer read the actor, or the actor is deleted, the last event is `end` ' +
            'with `{reason: "revoked"}`, without an id, a `sequence` and a `state`.',
          {
            responses: {
              200: eventStreamOf(ActorEvent),
              204: { description: 'The actor is at its end, and the reader has everything.' },
            },
          },
        ),
      },
    )
    .post(
      '/:id/preview',
      async ({ caller, params, body }) => {
        await watch.assertVisible(caller, params.id)
        const event = typeof body.event === 'string' ? { type: body.event } : body.event
        return { data: await previewEvent(watch, caller, params.id, event) }
      },
      {
        permission,
        orPermissions,
        resource: null,
        params: ActorPath,
        find,
        body: PreviewBody,
        response: { 200: PreviewResult },
        detail: doc(
          `preview${name}Event`,
          'Preview an event',
          'Applies the event to a copy of the actor: nothing is stored and no effect is carried out. Facts that the server ' +
            'knows about the caller (whether this credential may continue a run, and the remaining budget) apply as they ' +
            'would for the command.',
        ),
      },
    )
    .get(
      '/:id/verify',
      async ({ caller, params }) => {
        await watch.assertVisible(caller, params.id)
        return { data: await verifyActor(watch, params.id) }
      },
      {
        permission,
        orPermissions,
        params: ActorPath,
        find,
        response: { 200: VerifyResult },
        errors: ['concurrent_change'],
        detail: doc(
          `verify${name}Actor`,
          "Verify an actor's journal",
          'Replays the journal through the statechart and compares the result with the stored state.',
        ),
      },
    )
}

/** The watchable kinds: those with a view. Throws if such a kind has no statechart to show. */
export function statechartRoutes(parts: StatechartParts) {
  const { guarded } = parts
  const app = new Elysia({ name: 'statecharts', tags: ['Machines'] })
    .use(machineRoutes(parts))
    .use(machineSimulationRoutes(parts))
  const watched = parts.kinds
    .filter(({ view }) => view)
    .map((kind): Watched => {
      const watch = new Watch(kind, parts)
      const chart = parts.charts.find(({ machine }) => machine.id === watch.kind)
      if (!chart) throw new Error(`The kind ${watch.kind} can be watched and has no statechart to show.`)
      return { watch, chart }
    })
  for (const { watch, chart } of watched) {
    const name = nameOf(watch.kind)
    app.use(actorRoutes(guarded, watch, chart))
    app.use(actorSimulationRoutes(guarded, watch, chart, name))
    app.use(embedTicketRoutes(parts, { watch, chart }, name))
  }
  app.use(embeddedActorRoutes(parts, watched))
  return app
}
