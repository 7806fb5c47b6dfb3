/**
 * One Deployment; the actor's id is the Deployment's.
 * Source: contract 3, "Deployment"; requirement 6, "deployment".
 *
 * The work of a state is asked for by entering it and answered with an event that no other state knows: what an earlier
 * process began and a later one repeats is told at most once.
 */
import { assign, setup } from 'xstate'
import type { ChartOf } from './charts/chart.ts'
import { type Cause, effect, type Stamp } from './words.ts'

/** One thing that keeps a Deployment from becoming ready. */
export interface DeploymentIssue {
  code: string
  /** Where: `/agents/support-desk/bindings/shop`. */
  path: string
  message: string
}

/** Why a Deployment failed. */
export interface DeploymentFailure extends Cause {
  issues?: DeploymentIssue[]
}

export interface DeploymentContext {
  failure: DeploymentFailure | null
  /** Of the bundle, once there is one. */
  digest: string | null
  readyAt: number | null
}

export type DeploymentEvent =
  /** Its turn has come. */
  | (Stamp & { type: 'taken' })
  /** Everything that it pins is there, in force and fits together. */
  | (Stamp & { type: 'validated' })
  /** Every secret that it refers to can be read. */
  | (Stamp & { type: 'provisioned' })
  /** Its bundle is stored, with this event. */
  | (Stamp & { type: 'materialized'; digest: string })
  /** The work of the state has found that the Deployment cannot become ready. */
  | (Stamp & { type: 'rejected'; failure: DeploymentFailure })
  | (Stamp & { type: 'cancel' })
  /** It is to serve in its Environment, which decides; this only asks whether it can. */
  | (Stamp & { type: 'activate' })

export const deploymentMachine = setup({
  types: {
    context: {} as DeploymentContext,
    events: {} as DeploymentEvent,
  },
  delays: {
    stepDeadline: 600_000,
  },
  actions: {
    takeUp: effect,
    validate: effect,
    provision: effect,
    materialize: effect,
    noteFailure: assign(({ event }) => (event.type === 'rejected' ? { failure: event.failure } : {})),
    noteLateness: assign({
      failure: { code: 'deadline_exceeded', message: 'It did not move on within ten minutes.' },
    }),
    noteBundle: assign(({ event }) =>
      event.type === 'materialized' ? { digest: event.digest, readyAt: event.at } : {},
    ),
  },
}).createMachine({
  id: 'deployment',
  version: '1',
  context: { failure: null, digest: null, readyAt: null },
  initial: 'preparing',
  // biome-ignore format: the statechart reads as a table, a state downwards, its moves across
  states: {
    preparing: {            on:    { rejected:     { target: '#failed', actions: 'noteFailure' },
                                     cancel:       { target: '#canceled' } },
                            initial: 'queued', states: {
      'queued':           { entry: 'takeUp',
                            on:    { taken:        { target: 'validating' } },
                            after: { stepDeadline: { target: '#failed', actions: 'noteLateness' } } },
      'validating':       { entry: 'validate',
                            on:    { validated:    { target: 'provisioning' } },
                            after: { stepDeadline: { target: '#failed', actions: 'noteLateness' } } },
      'provisioning':     { entry: 'provision',
                            on:    { provisioned:  { target: 'materializing' } },
                            after: { stepDeadline: { target: '#failed', actions: 'noteLateness' } } },
      'materializing':    { entry: 'materialize',
                            on:    { materialized: { target: '#ready', actions: 'noteBundle' } },
                            after: { stepDeadline: { target: '#failed', actions: 'noteLateness' } } },
    } },
    terminal: {             initial: 'ready', states: {
      'ready':            { id: 'ready',
                            on:    { activate:     { target: 'ready' } } },
      'failed':           { id: 'failed' },
      'canceled':         { id: 'canceled',
                            on:    { cancel:       { target: 'canceled' } } },
    } },
  },
})

/** The statechart of a Deployment, in words. Source: contract 3, "Deployment". */
export const deploymentChart = {
  title: 'Deployment',
  about:
    'A Release prepared for one Environment under one Configuration Revision. Each state asks for its work when it is ' +
    'entered and moves on with the answer; a server that stops or crashes in between does that work again. Until it is ' +
    '`ready` a Deployment can be canceled, and fails when what it pins does not fit together. Nothing changes one that is ' +
    '`ready`, `failed` or `canceled`; a `ready` one can be activated, again and again.',
  machine: deploymentMachine,
  input: undefined,
  events: {
    create: { by: 'command', says: '`POST /api/v1/projects/{projectId}/environments/{environmentId}/deployments`.' },
    taken: { by: 'server', says: 'Its turn has come.' },
    validated: { by: 'server', says: 'Everything that it pins is there and fits.' },
    provisioned: { by: 'server', says: 'Every secret that it needs can be read.' },
    materialized: { by: 'server', says: 'Its bundle is stored.' },
    rejected: { by: 'server', says: 'The work of the state has found what is wrong.' },
    cancel: {
      by: 'command',
      says: '`POST /api/v1/projects/{projectId}/environments/{environmentId}/deployments/{deploymentId}/cancel`.',
    },
    activate: {
      by: 'command',
      says: '`POST /api/v1/projects/{projectId}/environments/{environmentId}/activations` asks whether there is this row; it is the Environment that changes.',
    },
  },
  guards: {},
  deadlines: {
    stepDeadline: { limits: 'The work of one state.' },
  },
  effects: {
    takeUp: 'Takes the Deployment up.',
    validate:
      'Looks at everything that the Release and the Configuration Revision pin: bindings, connections, variables, ' +
      'credentials and grants. All problems are found together.',
    provision: 'Proves that every secret the Deployment refers to can be read.',
    materialize: 'Puts together the bundle that runs are served from, and stores it with its digest.',
  },
} satisfies ChartOf<typeof deploymentMachine>
