/**
 * One run of a workflow; the actor's id is the run's. Source: requirement 4.4; contract 6, `WorkflowRun`.
 *
 * The steps live in the context of this one statechart and are no actors of their own: nobody addresses a step but its
 * run, so that one row, one version and one commit hold a decision about all of them, and there is nothing between them
 * that could race. What a step has given is not here, for nothing is decided on it; only its size is.
 */
import { assign, setup } from 'xstate'
import type { ChartOf } from './charts/chart.ts'
import { effect } from './words.ts'
import { advance, allEnded, born, isFailing, isMoot, standing, takes, waiting } from './workflow-steps.ts'
import type {
  StepToBegin,
  WorkflowRunContext,
  WorkflowRunEvent,
  WorkflowRunInput,
  WorkflowRunState,
} from './workflow-words.ts'

export * from './workflow-words.ts'

/** So long after the last change, whoever is outstanding is asked again. */
const lookAgainMs = 3_600_000

type Given = { context: WorkflowRunContext; event: WorkflowRunEvent }

/** The event is one that the run takes, and with it the run stands so. */
const leadsTo =
  (state: WorkflowRunState, also: (next: WorkflowRunContext, before: WorkflowRunContext) => boolean = () => true) =>
  ({ context, event }: Given): boolean => {
    if (!takes(context, event)) return false
    const next = advance(context, event)
    return standing(next) === state && also(next, context)
  }

const wantsOutput = (context: WorkflowRunContext) => allEnded(context) && context.output === 'wanted'

const beginSteps = {
  type: 'beginSteps',
  params: ({ context }: { context: WorkflowRunContext }) => ({ steps: context.due }),
} as const

// What a step has to tell, and what is said of it, may end the run, or change what it waits for.
// biome-ignore format: rows of the table below
const stepMoves = [
  { target: '#completed', guard: 'allStepsDone',            actions: 'advance' },
  { target: '#failed',    guard: 'hasFailed',               actions: 'advance' },
  { target: 'running',    guard: 'failsWhileApprovalsWait', actions: ['advance', 'withdrawApprovals'], reenter: true },
  { target: 'running',    guard: 'outputWanted',            actions: ['advance', 'renderOutput'], reenter: true },
  { target: 'unknown',    guard: 'hasUnknownStep',          actions: 'advance' },
  { target: 'waiting',    guard: 'onlyApprovalsLeft',       actions: 'advance' },
  { target: 'running',    guard: 'stepsBegin',              actions: 'advance', reenter: true },
  { target: 'running',    guard: 'retryPlanned',            actions: 'advance', reenter: true },
  { target: 'running',    guard: 'stepsGoOn',               actions: 'advance' },
] as const
// Nothing begins any more; what has begun comes to its end.
// biome-ignore format: rows of the table below
const stoppedMoves = [
  { target: '#failed',    guard: 'hasFailed',               actions: 'advance' },
  { target: 'running',    guard: 'failsWhileApprovalsWait', actions: ['advance', 'withdrawApprovals'] },
  { target: 'running',    guard: 'stepsGoOn',               actions: 'advance' },
  { target: 'unknown',    guard: 'hasUnknownStep',          actions: 'advance' },
] as const
// biome-ignore format: rows of the table below
const endingMoves = [
  { target: '#canceled',  guard: 'nothingOutstanding',      actions: 'advance' },
  { target: '#canceling', guard: 'approvalAsked',           actions: 'advance', reenter: true },
  { target: '#canceling', guard: 'stepsWindDown',           actions: 'advance' },
] as const
// biome-ignore format: rows of the table below
const resumingMoves = [
  { target: '#completed', guard: 'allStepsDone',            actions: 'advance' },
  { target: 'running',    guard: 'outputWanted',            actions: ['advance', 'renderOutput'] },
  { target: 'waiting',    guard: 'onlyApprovalsLeft',       actions: 'advance' },
  { target: 'running',    guard: 'stepsGoOn',               actions: 'advance' },
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
    failsWhileApprovalsWait: leadsTo('running', (next) => isFailing(next) && waiting(next) > 0),
    outputWanted: leadsTo('running', wantsOutput),
    hasUnknownStep: leadsTo('unknown'),
    onlyApprovalsLeft: leadsTo('waiting'),
    stepsBegin: leadsTo('running', ({ due }) => due.length > 0),
    retryPlanned: leadsTo('running', (next, before) => next.nextRetryAt !== before.nextRetryAt),
    stepsGoOn: leadsTo('running'),
    nothingOutstanding: leadsTo('canceled'),
    approvalAsked: leadsTo('canceling', (next, before) => waiting(next) > waiting(before)),
    stepsWindDown: leadsTo('canceling'),
    isUnknownStep: ({ context, event }) => takes(context, event),
  },
  delays: {
    lookAgain: ({ context, event }) =>
      context.nextRetryAt === null ? lookAgainMs : Math.max(0, context.nextRetryAt - event.at),
  },
  actions: {
    advance: assign(({ context, event }) => advance(context, event)),
    beginSteps: (_, _params: { steps: readonly StepToBegin[] }) => {},
    renderOutput: effect,
    withdrawApprovals: effect,
  },
}).createMachine({
  id: 'workflow-run',
  version: '1',
  context: ({ input }) => born(input),
  meta: { births: { start: {} } },
  initial: 'live',
  // biome-ignore format: the statechart reads as a table, a state downwards, its moves across
  states: {
    live: {          on:    { cancel:           endingMoves },
                     initial: 'running', states: {
      'running':   { entry: [beginSteps], id: 'running',
                     on:    { reported:        [{ target: 'running', guard: 'saysNothingNew' }, ...stepMoves],
                              refused:         [{ target: 'running', guard: 'saysNothingNew' }, ...stepMoves],
                              rendered:         { target: '#completed', guard: 'allStepsDone', actions: 'advance' },
                              renderingFailed:  { target: '#failed', guard: 'hasFailed', actions: 'advance' } },
                     after: { lookAgain:        { target: 'running', actions: 'advance', reenter: true } } },
      'waiting':   { on:    { reported:        [{ target: 'waiting', guard: 'saysNothingNew' }, ...stepMoves],
                              refused:         [{ target: 'waiting', guard: 'saysNothingNew' }, ...stepMoves] },
                     after: { lookAgain:        { target: 'waiting', actions: ['advance', beginSteps], reenter: true } } },
      'unknown':   { on:    { reported:        [{ target: 'unknown', guard: 'saysNothingNew' }, ...stoppedMoves],
                              refused:         [{ target: 'unknown', guard: 'saysNothingNew' }, ...stoppedMoves],
                              resolveUnknown:   stoppedMoves,
                              resume:           resumingMoves },
                     after: { lookAgain:        { target: 'unknown', actions: ['advance', beginSteps], reenter: true } } },
      'canceling': { entry: ['withdrawApprovals'], id: 'canceling',
                     on:    { reported:        [{ target: 'canceling', guard: 'saysNothingNew' }, ...endingMoves],
                              refused:         [{ target: 'canceling', guard: 'saysNothingNew' }, ...endingMoves],
                              cancel:           { target: 'canceling' } },
                     after: { lookAgain:        { target: 'canceling', actions: ['advance', beginSteps], reenter: true } } },
    } },
    terminal: {      initial: 'completed', states: {
      'completed': { id: 'completed',
                     on:    { cancel:           { target: 'completed' } } },
      'failed':    { id: 'failed',
                     on:    { cancel:           { target: 'failed' },
                              resolveUnknown:   { target: 'failed', guard: 'isUnknownStep', actions: 'advance' },
                              resume:           { target: '#running', guard: 'stepsGoOn', actions: 'advance' } } },
      'canceled':  { id: 'canceled',
                     on:    { cancel:           { target: 'canceled' } } },
    } },
  },
})

/** The statechart of a workflow run, in words. Source: contract 6, "Workflow start", "Precise points". */
export const workflowRunChart = {
  title: 'Workflow run',
  about:
    'One run of a workflow with all its steps, which are parts of it and no actors of their own. While it is `running`, ' +
    'every step begins as soon as those it waits for are done; in `waiting` only approvals are outstanding. A step that ' +
    'changes something that must not be changed twice, and whose result was lost, is unknown: the run stops in `unknown` ' +
    'until somebody says how that step has ended, and resumes. A run that fails or is canceled begins nothing more, and ' +
    'ends when what it has begun has ended. A failed one can be resumed.',
  machine: workflowRunMachine,
  input: { steps: [], bytes: 0, hasOutput: false, at: 0 },
  events: {
    start: {
      by: 'command',
      says: '`POST /api/v1/projects/{projectId}/environments/{environmentId}/workflows`.',
    },
    reported: { by: 'report', says: 'The invocation of a step has moved on.' },
    refused: { by: 'server', says: 'A step could not be begun, and trying again would not help.' },
    rendered: { by: 'server', says: 'The output is there.' },
    renderingFailed: { by: 'server', says: 'There is no output that could be kept.' },
    cancel: {
      by: 'command',
      says: '`POST /api/v1/projects/{projectId}/environments/{environmentId}/workflows/{workflowRunId}/cancel`. The server sends it too, to runs of what is being removed.',
    },
    resolveUnknown: {
      by: 'command',
      says: '`POST /api/v1/projects/{projectId}/environments/{environmentId}/workflows/{workflowRunId}/resolve-unknown` says how a step has ended, or that it is to be done again.',
    },
    resume: {
      by: 'command',
      says: '`POST /api/v1/projects/{projectId}/environments/{environmentId}/workflows/{workflowRunId}/resume`.',
    },
  },
  guards: {
    saysNothingNew: 'The report is of an attempt that is over, or tells what is known.',
    allStepsDone: 'With this the last step is done, and the output, where there is one, is there.',
    hasFailed: 'With this a step has failed whose failure counts, and nothing is outstanding.',
    failsWhileApprovalsWait: 'With this a step has failed whose failure counts, and approvals are outstanding.',
    outputWanted: 'With this the last step is done, and the output is to be put together.',
    hasUnknownStep: 'The end of a step is or was unknown, and nobody has resumed the run since.',
    onlyApprovalsLeft: 'With this nothing but approvals is outstanding.',
    stepsBegin: 'With this other steps can begin.',
    retryPlanned: 'With this another attempt of a step is planned, or is not any more.',
    stepsGoOn: 'With this the run goes on, or waits for what it has begun before it fails.',
    nothingOutstanding: 'With this nothing is outstanding.',
    approvalAsked: 'With this a step that had begun asks for an approval.',
    stepsWindDown: 'With this something is outstanding still.',
    isUnknownStep: 'The end of the step is unknown.',
  },
  deadlines: {
    lookAgain: {
      limits:
        'Until the next attempt of a step that has failed; without one, until whoever is outstanding is asked again, ' +
        'after an hour.',
      varies: true,
    },
  },
  effects: {
    beginSteps: 'Begins the invocations of the steps that are due, or asks how far they have come.',
    renderOutput: 'Puts the output of the run together.',
    withdrawApprovals: 'Takes back the approvals that the run has asked for.',
  },
} satisfies ChartOf<typeof workflowRunMachine>
