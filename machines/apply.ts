/**
 * One Apply of a manifest to an Environment; the actor's id is the Apply's. Source: contract 10, "Apply". Entering a
 * state requests its work, which is idempotent and answers with an event that only this state accepts. Before
 * `activating`, nothing that is active is changed, so an Apply may be canceled or fail at any point before it.
 */
import { assign, setup } from 'xstate'
import type { ChartOf } from './charts/chart.ts'
import { type Cause, effect, isMissed, type Stamp } from './words.ts'

interface ApplyInput {
  /** Whether the Deployment is activated once it is ready. */
  activate: boolean
  /** The active Deployment, if it already is the target, so that nothing remains to be done. */
  serving: Pick<ApplyContext, 'releaseId' | 'configurationRevisionId' | 'deploymentId'> | null
}

/** The request of an Apply, and the resources that its steps have created or found so far. */
export interface ApplyContext {
  activate: boolean
  unchanged: boolean
  failure: Cause | null
  releaseId: string | null
  configurationRevisionId: string | null
  deploymentId: string | null
  activationId: string | null
  endedAt: number | null
  /** The number of states entered so far, which identifies the work of a state; omitted: not counted. */
  step?: number
}

export type ApplyEvent =
  /** The server begins the Apply. */
  | (Stamp & { type: 'taken' })
  /** All changes of the plan are written. */
  | (Stamp & { type: 'written' })
  | (Stamp & { type: 'released'; releaseId: string })
  | (Stamp & { type: 'configured'; configurationRevisionId: string })
  /** The Deployment is ready. */
  | (Stamp & { type: 'deployed'; deploymentId: string })
  | (Stamp & { type: 'activated'; activationId: string })
  /** The state's work failed: the Apply cannot continue. `step`: the work that failed; omitted: that of any state. */
  | (Stamp & { type: 'rejected'; failure: Cause; step?: number | undefined })
  | (Stamp & { type: 'cancel' })

export const applyMachine = setup({
  types: {
    input: {} as ApplyInput,
    context: {} as ApplyContext,
    events: {} as ApplyEvent,
  },
  guards: {
    nothingToDo: ({ context }) => context.unchanged,
    activationNotWanted: ({ context }) => !context.activate,
    deadlineMissed: ({ event }) => isMissed(event),
    // another server may have done the work, and a repetition of it have failed for that reason
    ofThisStep: ({ context, event }) =>
      event.type === 'rejected' && (event.step === undefined || event.step === context.step),
  },
  delays: {
    stepDeadline: 600_000,
    // a Deployment has four states of ten minutes each, and may wait for others
    deploymentDeadline: 3_600_000,
  },
  actions: {
    takeUp: effect,
    write: effect,
    release: effect,
    configure: effect,
    deploy: effect,
    activate: effect,
    abandon: effect,
    noteRelease: assign(({ event }) => (event.type === 'released' ? { releaseId: event.releaseId } : {})),
    noteConfiguration: assign(({ event }) =>
      event.type === 'configured' ? { configurationRevisionId: event.configurationRevisionId } : {},
    ),
    noteDeployment: assign(({ event }) => (event.type === 'deployed' ? { deploymentId: event.deploymentId } : {})),
    noteActivation: assign(({ event }) => (event.type === 'activated' ? { activationId: event.activationId } : {})),
    noteFailure: assign(({ event }) => (event.type === 'rejected' ? { failure: event.failure } : {})),
    noteLateness: assign({
      failure: { code: 'deadline_exceeded', message: 'The state did not end in time.' },
    }),
    noteEnd: assign(({ event }) => ({ endedAt: event.at })),
    countStep: assign(({ context }) => ({ step: (context.step ?? 0) + 1 })),
  },
}).createMachine({
  id: 'apply',
  version: '1',
  context: ({ input }) => ({
    activate: input.activate,
    unchanged: input.serving !== null,
    failure: null,
    releaseId: input.serving?.releaseId ?? null,
    configurationRevisionId: input.serving?.configurationRevisionId ?? null,
    deploymentId: input.serving?.deploymentId ?? null,
    activationId: null,
    endedAt: null,
    step: 0,
  }),
  initial: 'preparing',
  // biome-ignore format: the statechart reads as a table, a state downwards, its moves across
  states: {
    preparing: {          on:    { rejected:            { target: '#failed', guard: 'ofThisStep', actions: ['noteFailure', 'noteEnd'] },
                                   cancel:              { target: '#canceled', actions: 'noteEnd' } },
                          initial: 'planned', states: {
      'planned':        { entry: ['countStep', 'takeUp'],
                          on:    { taken:              [{ target: '#applied', guard: 'nothingToDo', actions: 'noteEnd' },
                                                        { target: 'writing' }] },
                          after: { stepDeadline:       [{ target: 'planned', guard: 'deadlineMissed', reenter: true },
                                                        { target: '#failed', actions: ['noteLateness', 'noteEnd'] }] } },
      'writing':        { entry: ['countStep', 'write'],
                          on:    { written:             { target: 'releasing' } },
                          after: { stepDeadline:       [{ target: 'writing', guard: 'deadlineMissed', reenter: true },
                                                        { target: '#failed', actions: ['noteLateness', 'noteEnd'] }] } },
      'releasing':      { entry: ['countStep', 'release'],
                          on:    { released:            { target: 'configuring', actions: 'noteRelease' } },
                          after: { stepDeadline:       [{ target: 'releasing', guard: 'deadlineMissed', reenter: true },
                                                        { target: '#failed', actions: ['noteLateness', 'noteEnd'] }] } },
      'configuring':    { entry: ['countStep', 'configure'],
                          on:    { configured:          { target: 'deploying', actions: 'noteConfiguration' } },
                          after: { stepDeadline:       [{ target: 'configuring', guard: 'deadlineMissed', reenter: true },
                                                        { target: '#failed', actions: ['noteLateness', 'noteEnd'] }] } },
      'deploying':      { entry: ['countStep', 'deploy'],
                          on:    { deployed:           [{ target: '#applied', guard: 'activationNotWanted', actions: ['noteDeployment', 'noteEnd'] },
                                                        { target: '#activating', actions: 'noteDeployment' }] },
                          after: { deploymentDeadline: [{ target: 'deploying', guard: 'deadlineMissed', reenter: true },
                                                        { target: '#failed', actions: ['noteLateness', 'noteEnd'] }] } },
    } },
    'activating':       { id: 'activating',
                          entry: ['countStep', 'activate'],
                          on:    { activated:           { target: '#applied', actions: ['noteActivation', 'noteEnd'] },
                                   rejected:            { target: '#failed', guard: 'ofThisStep', actions: ['noteFailure', 'noteEnd'] } } },
    terminal: {           initial: 'applied', states: {
      'applied':        { id: 'applied' },
      'failed':         { id: 'failed',
                          entry: 'abandon' },
      'canceled':       { id: 'canceled',
                          entry: 'abandon',
                          on:    { cancel:              { target: 'canceled' } } },
    } },
  },
})

/** Descriptions of the Apply's statechart. Source: contract 10, "Apply". */
export const applyChart = {
  title: 'Apply',
  about:
    'The execution of a manifest in an Environment. Each state starts its work on entry and ends with the result; after a ' +
    'stop or a crash the server repeats that work, which finds the resources already created. The active Deployment is ' +
    'untouched until `activating`: before it an Apply can be canceled or fail. A refused Activation fails the Apply too, ' +
    'and the active Deployment stays active.',
  machine: applyMachine,
  input: { activate: true, serving: null },
  events: {
    create: { by: 'command', says: 'A client applies a manifest whose plan has no issues.' },
    taken: { by: 'server', says: 'The server begins the Apply.' },
    written: { by: 'server', says: 'All changes of the plan are written.' },
    released: { by: 'server', says: 'The Release with the Agents of the manifest exists.' },
    configured: { by: 'server', says: 'The Configuration Revision of the Environment exists.' },
    deployed: { by: 'server', says: 'The Deployment is ready.' },
    activated: { by: 'server', says: 'The Deployment is active.' },
    rejected: { by: 'server', says: 'The work of the state found a problem.' },
    cancel: { by: 'command', says: 'A client cancels the Apply.' },
  },
  guards: {
    nothingToDo: 'The Environment already matches the manifest.',
    activationNotWanted: 'The request asked for no Activation.',
    ofThisStep: 'The work that failed is that of the current state.',
    deadlineMissed: 'The deadline passed while the server was down: the work of the state begins again.',
  },
  deadlines: {
    stepDeadline: { limits: 'The work of one state.' },
    deploymentDeadline: { limits: 'Waiting for the Deployment to be ready.' },
  },
  effects: {
    takeUp: 'Starts the Apply.',
    write: 'Writes the changes of the plan: Project, Environment, Definitions, Agents and configuration.',
    release: 'Creates the Release, or finds one with the same pins.',
    configure: 'Creates the Configuration Revision, or finds one with the same content.',
    deploy: 'Creates the Deployment, or finds the one that it created, and waits until it is ready.',
    activate: 'Activates the Deployment, then removes the pruned resources.',
    abandon: 'Cancels the Deployment that it created, if that has not finished.',
  },
} satisfies ChartOf<typeof applyMachine>
