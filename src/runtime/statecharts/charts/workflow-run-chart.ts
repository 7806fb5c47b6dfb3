/** The statechart of a workflow run, in words. Source: contract 6, "Workflow start", "Precise points". */
import { workflowRunMachine } from '../../../../machines/workflow-run.ts'
import type { Chart } from './chart.ts'

export const workflowRunChart: Chart = {
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
}
