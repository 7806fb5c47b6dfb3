/** The statechart of an agent job, in words. Source: contract 6, Jobs. */
import { agentJobMachine } from '../../../../machines/agent-job.ts'
import type { Chart } from './chart.ts'

export const agentJobChart: Chart = {
  title: 'Agent job',
  about:
    'A query that an Agent is asked on a schedule. `scheduled`, it waits for its next tick; `firing`, the tick is dealt ' +
    'with: the run is stored together with the record that the tick has had it, so that there is at most one, whatever ' +
    'crashes. After a time without a server the latest tick of the last hour runs, and all others are recorded as missed.',
  machine: agentJobMachine,
  input: {},
  events: {
    create: { by: 'command', says: '`POST /api/v1/projects/{projectId}/environments/{environmentId}/agent-jobs`.' },
    change: {
      by: 'command',
      says: '`PATCH /api/v1/projects/{projectId}/environments/{environmentId}/agent-jobs/{jobId}`; first of all `POST /api/v1/projects/{projectId}/environments/{environmentId}/agent-jobs`.',
    },
    fired: { by: 'server', says: 'The run of the tick is started, or it is settled that there is none.' },
  },
  guards: {
    seen: 'Nobody else has changed the job since its sender looked.',
    seenAndPlanned: 'The same, and the job is enabled, with a next tick.',
    ofThisTick: 'The report is of the tick that is dealt with.',
    ofThisTickAndPlanned: 'The same, and the job is enabled, with a next tick.',
  },
  deadlines: {
    tick: { limits: 'The time until the next tick, as the schedule says.', varies: true },
    firingOverdue: { limits: 'A firing; after that it is asked for again.' },
  },
  effects: {
    fire: 'Starts the run of the latest tick, and reports what has come of it and when the next one is.',
  },
}
