/**
 * One run of a workflow; the actor's id is the run's. Source: requirement 4.4; contract 6, `WorkflowRun`.
 * The steps are part of this statechart's context and not actors of their own: one row, one version and one commit
 * cover a decision about all of them, without races. The context holds only the size of a step's output, because no
 * decision depends on the output itself.
 */
import { assign, setup } from 'xstate'
import type { ChartOf } from './charts/chart.ts'
import { effect } from './words.ts'
import { dueAt, isMoot, outstanding, standing, takes, waiting, waitsInVain, wantsOutput } from './workflow/standing.ts'
import { advance, born } from './workflow/steps.ts'
import type {
  StepToBegin,
  WorkflowRunContext,
  WorkflowRunEvent,
  WorkflowRunInput,
  WorkflowRunState,
} from './workflow/words.ts'

export { reasonOf, stepReasonCodes } from './workflow/reasons.ts'
export { isWanted, unwanted } from './workflow/standing.ts'
export * from './workflow/words.ts'

/** The time without a change after which outstanding invocations are queried again. */
const lookAgainMs = 3_600_000

type Given = { context: WorkflowRunContext; event: WorkflowRunEvent }

/** What a run makes of an event. */
interface Considered extends Given {
  /** undefined: it does not accept the event. */
  state: WorkflowRunState | undefined
  next: WorkflowRunContext
}

let latest: Considered | undefined

/** The context and the state after an event: computed once for all guards and actions that ask for them. */
function considered({ context, event }: Given): Considered {
  if (latest?.context === context && latest.event === event) return latest
  const next = takes(context, event) ? advance(context, event) : undefined
  latest = { context, event, next: next ?? context, state: next && standing(next) }
  return latest
}

/** Whether the run accepts the event and then is in this state. */
const leadsTo =
  (state: WorkflowRunState, also: (next: WorkflowRunContext, before: WorkflowRunContext) => boolean = () => true) =>
  (given: Given): boolean => {
    const { state: found, next } = considered(given)
    return found === state && also(next, given.context)
  }

const beginSteps = {
  type: 'beginSteps',
  params: ({ context }: { context: WorkflowRunContext }) => ({ steps: context.due }),
} as const

// Events of steps, which may end the run or change what it waits for.
// biome-ignore format: rows of the table below
const stepMoves = [
  { target: '#completed', guard: 'allStepsDone',            actions: 'advance' },
  { target: '#failed',    guard: 'hasFailed',               actions: 'advance' },
  { target: 'running',    guard: 'failsWhileApprovalsWait', actions: ['advance', 'withdrawApprovals'], reenter: true },
  { target: 'running',    guard: 'outputWanted',            actions: ['advance', 'renderOutput'], reenter: true },
  { target: 'unknown',    guard: 'hasUnknownStep',          actions: ['advance', beginSteps] },
  { target: 'waiting',    guard: 'onlyWaitsLeft',           actions: ['advance', beginSteps] },
  { target: 'running',    guard: 'stepsBegin',              actions: 'advance', reenter: true },
  { target: 'running',    guard: 'dueTimeChanges',          actions: 'advance', reenter: true },
  { target: 'running',    guard: 'stepsGoOn',               actions: 'advance' },
] as const
// No step starts any more; running ones finish.
// biome-ignore format: rows of the table below
const stoppedMoves = [
  { target: '#failed',    guard: 'hasFailed',               actions: 'advance' },
  { target: 'running',    guard: 'failsWhileApprovalsWait', actions: ['advance', 'withdrawApprovals'] },
  { target: 'running',    guard: 'stepsGoOn',               actions: 'advance' },
  { target: 'unknown',    guard: 'listFailsWhileApprovalsWait', actions: ['advance', 'withdrawApprovals', beginSteps], reenter: true },
  { target: 'unknown',    guard: 'endOfWaitChanges',        actions: ['advance', beginSteps], reenter: true },
  { target: 'unknown',    guard: 'hasUnknownStep',          actions: ['advance', beginSteps] },
] as const
// biome-ignore format: rows of the table below
const endingMoves = [
  { target: '#canceled',  guard: 'nothingOutstanding',      actions: 'advance' },
  { target: '#canceling', guard: 'approvalAsked',           actions: 'advance', reenter: true },
  { target: '#canceling', guard: 'compensationGoesOn',      actions: ['advance', beginSteps], reenter: true },
  { target: '#canceling', guard: 'stepsWindDown',           actions: 'advance' },
] as const
// biome-ignore format: rows of the table below
const resumingMoves = [
  { target: '#completed', guard: 'allStepsDone',            actions: 'advance' },
  { target: 'running',    guard: 'outputWanted',            actions: ['advance', 'renderOutput'] },
  { target: 'waiting',    guard: 'onlyWaitsLeft',           actions: 'advance' },
  { target: 'running',    guard: 'stepsGoOn',               actions: 'advance' },
] as const
// A delay has passed: waits end, steps begin, or outstanding invocations are queried.
// biome-ignore format: rows of the table below
const lookMoves = [
  { target: '#completed', guard: 'allStepsDone',            actions: 'advance' },
  { target: 'running',    guard: 'outputWanted',            actions: ['advance', 'renderOutput'], reenter: true },
  { target: 'waiting',    guard: 'onlyWaitsLeft',           actions: ['advance', beginSteps], reenter: true },
  { target: 'running',    actions: 'advance', reenter: true },
] as const

export const workflowRunMachine = setup({
  types: {
    input: {} as WorkflowRunInput,
    context: {} as WorkflowRunContext,
    events: {} as WorkflowRunEvent,
  },
  guards: {
    saysNothingNew: ({ context, event }) => isMoot(context, event),
    allStepsDone: leadsTo('completed'),
    hasFailed: leadsTo('failed'),
    failsWhileApprovalsWait: leadsTo('running', waitsInVain),
    outputWanted: leadsTo('running', wantsOutput),
    hasUnknownStep: leadsTo('unknown'),
    onlyWaitsLeft: leadsTo('waiting'),
    stepsBegin: leadsTo('running', ({ due }) => due.length > 0),
    dueTimeChanges: leadsTo('running', (next, before) => dueAt(next) !== dueAt(before)),
    listFailsWhileApprovalsWait: leadsTo('unknown', waitsInVain),
    endOfWaitChanges: leadsTo('unknown', (next, before) => dueAt(next) !== dueAt(before)),
    stepsGoOn: leadsTo('running'),
    nothingOutstanding: leadsTo('canceled'),
    approvalAsked: leadsTo('canceling', (next, before) => waiting(next) > waiting(before)),
    compensationGoesOn: leadsTo('canceling', (next, before) => next.due.length > 0 || dueAt(next) !== dueAt(before)),
    stepsWindDown: leadsTo('canceling'),
    isUnknownStep: (given) => considered(given).state !== undefined,
  },
  delays: {
    lookAgain: ({ context, event }) => {
      const due = dueAt(context)
      if (due === null) return lookAgainMs
      const dueMs = Math.max(0, due - event.at)
      return outstanding(context).length === 0 ? dueMs : Math.min(lookAgainMs, dueMs)
    },
  },
  actions: {
    advance: assign((given) => considered(given).next),
    beginSteps: (_, _params: { steps: readonly StepToBegin[] }) => {},
    renderOutput: effect,
    tellParent: effect,
    withdrawApprovals: effect,
  },
}).createMachine({
  id: 'workflow-run',
  version: '1',
  context: ({ input }) => born(input),
  meta: { creations: { start: {} } },
  initial: 'live',
  // biome-ignore format: the statechart reads as a table, a state downwards, its moves across
  states: {
    live: {          on:    { cancel:           endingMoves },
                     initial: 'running', states: {
      'running':   { entry: [beginSteps], id: 'running',
                     on:    { reported:        [{ target: 'running', guard: 'saysNothingNew' }, ...stepMoves],
                              refused:         [{ target: 'running', guard: 'saysNothingNew' }, ...stepMoves],
                              leftOut:         [{ target: 'running', guard: 'saysNothingNew' }, ...stepMoves],
                              waits:           [{ target: 'running', guard: 'saysNothingNew' }, ...stepMoves],
                              counted:         [{ target: 'running', guard: 'saysNothingNew' }, ...stepMoves],
                              rendered:         { target: '#completed', guard: 'allStepsDone', actions: 'advance' },
                              renderingFailed: [{ target: '#failed', guard: 'hasFailed', actions: 'advance' },
                                                { target: 'running', guard: 'stepsBegin', actions: 'advance', reenter: true }] },
                     after: { lookAgain:        lookMoves } },
      'waiting':   { on:    { reported:        [{ target: 'waiting', guard: 'saysNothingNew' }, ...stepMoves],
                              refused:         [{ target: 'waiting', guard: 'saysNothingNew' }, ...stepMoves],
                              leftOut:         [{ target: 'waiting', guard: 'saysNothingNew' }, ...stepMoves],
                              waits:           [{ target: 'waiting', guard: 'saysNothingNew' }, ...stepMoves],
                              counted:         [{ target: 'waiting', guard: 'saysNothingNew' }, ...stepMoves] },
                     after: { lookAgain:        lookMoves } },
      'unknown':   { on:    { reported:        [{ target: 'unknown', guard: 'saysNothingNew' }, ...stoppedMoves],
                              refused:         [{ target: 'unknown', guard: 'saysNothingNew' }, ...stoppedMoves],
                              leftOut:         [{ target: 'unknown', guard: 'saysNothingNew' }, ...stoppedMoves],
                              waits:           [{ target: 'unknown', guard: 'saysNothingNew' }, ...stoppedMoves],
                              counted:         [{ target: 'unknown', guard: 'saysNothingNew' }, ...stoppedMoves],
                              resolveUnknown:   stoppedMoves,
                              resume:           resumingMoves },
                     after: { lookAgain:        { target: 'unknown', actions: ['advance', beginSteps], reenter: true } } },
      'canceling': { entry: ['withdrawApprovals'], id: 'canceling',
                     on:    { reported:        [{ target: 'canceling', guard: 'saysNothingNew' }, ...endingMoves],
                              refused:         [{ target: 'canceling', guard: 'saysNothingNew' }, ...endingMoves],
                              leftOut:         [{ target: 'canceling', guard: 'saysNothingNew' }, ...endingMoves],
                              waits:           [{ target: 'canceling', guard: 'saysNothingNew' }, ...endingMoves],
                              counted:         [{ target: 'canceling', guard: 'saysNothingNew' }, ...endingMoves],
                              cancel:           { target: 'canceling' } },
                     after: { lookAgain:        { target: 'canceling', actions: ['advance', beginSteps], reenter: true } } },
    } },
    terminal: {      initial: 'completed', states: {
      'completed': { entry: ['tellParent'], id: 'completed',
                     on:    { cancel:           { target: 'completed' } } },
      'failed':    { entry: ['tellParent'], id: 'failed',
                     on:    { cancel:           { target: 'failed' },
                              resolveUnknown:  [{ target: '#running', guard: 'stepsGoOn', actions: 'advance' },
                                                { target: 'failed', guard: 'isUnknownStep', actions: 'advance' }],
                              resume:           { target: '#running', guard: 'stepsGoOn', actions: 'advance' } } },
      'canceled':  { entry: ['tellParent'], id: 'canceled',
                     on:    { cancel:           { target: 'canceled' } } },
    } },
  },
})

/** Descriptions of the workflow run's statechart. Source: contract 6, "Workflow start", "Precise points". */
export const workflowRunChart = {
  title: 'Workflow run',
  about:
    'One run of a workflow with all its steps, which are not actors of their own. While it is `running`, each step ' +
    'starts once the steps it depends on are done; in `waiting` only approvals and waiting steps are left. A non-idempotent step ' +
    'whose result was lost is unknown: the run stops in `unknown` until a user resolves that step and resumes the run. ' +
    'A run that fails or is canceled starts no further steps; when its running steps have ended, those that have ' +
    'succeeded are compensated, the last one first and one at a time, and then it ends. A failed run can be resumed.',
  machine: workflowRunMachine,
  input: { steps: [], bytes: 0, hasOutput: false, at: 0 },
  events: {
    start: {
      by: 'command',
      says: '`POST /api/v1/projects/{projectId}/environments/{environmentId}/workflows`; also by the tick of a job, by the step of another run, and by the tool call of a run of an Agent.',
    },
    reported: {
      by: 'report',
      says: 'The invocation of a step has changed its state, or the event that a step waits for has come, or has not come in time.',
    },
    refused: { by: 'server', says: 'A step could not be started, and a retry would not help.' },
    counted: { by: 'server', says: 'The number of elements of a step is known.' },
    waits: { by: 'server', says: 'A step waits from now on, for a time or for an event.' },
    leftOut: {
      by: 'server',
      says: 'The condition of a step does not hold: the step is skipped, and those after it run.',
    },
    rendered: { by: 'server', says: 'The output was rendered.' },
    renderingFailed: { by: 'server', says: 'The output could not be rendered or stored.' },
    cancel: {
      by: 'command',
      says: '`POST /api/v1/projects/{projectId}/environments/{environmentId}/workflows/{workflowRunId}/cancel`. The server sends it too, to runs of resources that are being removed.',
    },
    resolveUnknown: {
      by: 'command',
      says: '`POST /api/v1/projects/{projectId}/environments/{environmentId}/workflows/{workflowRunId}/resolve-unknown` with the outcome of a step, or to repeat it.',
    },
    resume: {
      by: 'command',
      says: '`POST /api/v1/projects/{projectId}/environments/{environmentId}/workflows/{workflowRunId}/resume`.',
    },
  },
  guards: {
    saysNothingNew: 'The report is for an earlier attempt, or contains nothing new.',
    allStepsDone: 'The last step is done, and the output, if there is one, is rendered.',
    hasFailed: 'A step whose failure counts has failed, nothing is outstanding, and nothing is left to compensate.',
    failsWhileApprovalsWait:
      'A step whose failure counts has failed, or an element of a list, and approvals or child workflows are outstanding that depend on it.',
    listFailsWhileApprovalsWait:
      'An element of a list has failed, and approvals or child workflows of others are outstanding, while an outcome is unknown.',
    outputWanted: 'The last step is done, and the output must be rendered.',
    hasUnknownStep: 'The outcome of a step is or was unknown, and the run has not been resumed since.',
    onlyWaitsLeft: 'Only approvals are outstanding, and steps that wait for a time or an event.',
    stepsBegin: 'Further steps can start, or a compensation.',
    dueTimeChanges: 'Another step than before is the next to be retried, or to end its wait.',
    endOfWaitChanges: 'Another wait than before is the next to end, while an outcome is unknown.',
    stepsGoOn: 'The run continues, or waits for running steps before it fails.',
    nothingOutstanding: 'Nothing is outstanding, and nothing is left to compensate.',
    approvalAsked: 'A running step needs an approval.',
    compensationGoesOn: 'A compensation begins, or is to be retried.',
    stepsWindDown: 'Something is still outstanding.',
    isUnknownStep: 'The outcome of the step is unknown.',
  },
  deadlines: {
    lookAgain: {
      limits:
        'The wait for the next retry or the end of the next wait of a step; at most an hour while invocations are outstanding, which are queried then.',
      varies: true,
    },
  },
  effects: {
    beginSteps:
      'Starts the invocations of due steps and compensations, or queries their status; looks for the events that steps wait for.',
    renderOutput: 'Renders the output of the run.',
    tellParent: "Reports the end of a child to the run above it, and of a tool call to the Agent's run.",
    withdrawApprovals: 'Cancels the pending approvals of the run, and its child workflows.',
  },
} satisfies ChartOf<typeof workflowRunMachine>
