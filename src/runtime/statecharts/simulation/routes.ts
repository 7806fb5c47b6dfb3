/** Simulations over HTTP: of a statechart, and of an actor. Source: contract 9. */
import { Elysia } from 'elysia'
import type { Chart } from '../../../../machines/charts/chart.ts'
import { orNotFound } from '../../../platform/http/answers/errors.ts'
import { doc } from '../../../platform/http/doc.ts'
import { networkOf } from '../../../platform/http/guard/client-address.ts'
import type { Naming, PublicNaming } from '../../../platform/http/guard/find.ts'
import type { Guarded } from '../../../platform/http/guard/guarded.ts'
import { type MinuteLimiter, simulations } from '../../../platform/limits/minute-limiter.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import type { AnyKind } from '../../kind.ts'
import type { Watch } from '../live/watch.ts'
import { ActorPath, MachinePath } from '../schema.ts'
import { originOfActor, originOfChart } from './origins.ts'
import { SimulationAnswer, SimulationOfActor, SimulationOfMachine, simulationBytesMax } from './schema.ts'
import { simulate } from './simulate.ts'

const text =
  'Applies events to a copy, in order, and advances its clock: due deadlines fire in order. For each event the ' +
  'answer has the transition rows that were tried with the results of their guards, the effects, the changes of the ' +
  'context and the deadlines that would run, or the reason for a refusal. Nothing is stored and no effect is carried out.'

export interface MachineSimulationParts {
  guarded: Guarded
  /** The client's address. */
  addressOf(request: Request): string | undefined
  simulationLimiter: Pick<MinuteLimiter, 'admit'>
  clock: Pick<Clock, 'now'>
  charts: readonly Chart[]
  kinds: readonly AnyKind[]
}

export function machineSimulationRoutes(parts: MachineSimulationParts) {
  const { guarded, clock, charts, kinds, addressOf, simulationLimiter } = parts
  const byKind = new Map(charts.map((chart) => [chart.machine.id, chart]))
  const find = ({ params }: PublicNaming<typeof MachinePath>): Chart => orNotFound(byKind.get(params.kind))

  return new Elysia({ name: 'machine-simulations', prefix: '/api/v1', tags: ['Machines'] }).use(guarded).post(
    '/machines/:kind/simulate',
    async ({ params, body, request }) => {
      await simulationLimiter.admit(networkOf(addressOf(request) ?? ''))
      const definition = kinds.find(({ kind }) => kind === params.kind)
      return { data: await simulate(originOfChart(find({ params }), params.kind, definition), body, clock.now()) }
    },
    {
      publicAccess: true,
      resource: null,
      params: MachinePath,
      find,
      body: SimulationOfMachine,
      bodyLimit: simulationBytesMax,
      response: { 200: SimulationAnswer },
      errors: ['rate_limited'],
      detail: doc(
        'simulateMachine',
        'Simulate a new actor',
        `${text} An address may do this ${simulations.max} times a minute.`,
      ),
    },
  )
}

/** The routes of one kind. */
export function actorSimulationRoutes(guarded: Guarded, watch: Watch, chart: Chart, name: string) {
  const { kind, readPermission: permission, orPermissions, parts } = watch
  const find = async ({ caller, params }: Naming<typeof ActorPath>) => {
    await watch.assertVisible(caller, params.id)
    await watch.actor(params.id)
  }

  return new Elysia({ name: `simulations/${kind}`, prefix: `/api/v1/actors/${kind}`, tags: ['Machines'] })
    .use(guarded)
    .post(
      '/:id/simulate',
      async ({ caller, params, body }) => {
        await watch.assertVisible(caller, params.id)
        const origin = await originOfActor(watch, chart, caller, params.id)
        return { data: await simulate(origin, body, parts.clock.now()) }
      },
      {
        permission,
        orPermissions,
        resource: null,
        params: ActorPath,
        find,
        body: SimulationOfActor,
        bodyLimit: simulationBytesMax,
        response: { 200: SimulationAnswer },
        detail: doc(
          `simulate${name}Actor`,
          'Simulate an actor',
          `${text} Facts that the server knows about the caller apply as they would for the command, unless the event contains them.`,
        ),
      },
    )
}
