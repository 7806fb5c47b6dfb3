/** Where the work is done: an Agent, workflows, a job and a webhook, all deployed. */
import { type DeployedEnvironment, deployAgent, send } from '../environments.ts'
import type { Server } from '../server.ts'
import { operations } from './bank.ts'

export interface Place extends DeployedEnvironment {
  jobId: string
}

/** The events of the webhook. */
export const subscribed = ['run.created', 'run.completed', 'run.canceled', 'run.failed', 'workflow.completed']

const number = '{{params.number}}'
const params = { type: 'object', properties: { number: { type: 'integer' } }, required: ['number'] }
const retry = { maxAttempts: 5, backoffMs: 200 }

/** A write that must not be repeated, then waits, and writes that may be. */
const workflows = {
  book: { params, steps: [{ id: 'put', operation: 'bank.put', input: { number }, retry }] },
  pay: {
    params,
    steps: [
      { id: 'charge', operation: 'bank.charge', input: { number } },
      { id: 'wait', sleep: 500, after: ['charge'] },
      { id: 'paid', waitFor: { event: 'paid', correlation: number, timeoutMs: 600_000 }, after: ['charge'] },
      { id: 'put', operation: 'bank.put', input: { number }, after: ['wait', 'paid'], retry },
      { id: 'book', workflow: 'book', input: { number }, after: ['paid'] },
    ],
  },
}

/** `url`: of the bank. */
export async function preparedPlace(server: Server, url: string): Promise<Place> {
  const deployed = await deployAgent(server, 'bank', { bank: { operations } }, { bank: url }, workflows)
  const { agentId, path } = deployed
  // before any event of these kinds
  await send(server, 'POST', `${path}/webhooks`, { endpointUrl: `${url}/events`, eventTypes: subscribed })
  const job = { agentId, name: 'Report', schedule: { cron: '* * * * *' }, query: '/say Report' }
  const { id: jobId } = await send(server, 'POST', `${path}/agent-jobs`, job)
  return { ...deployed, jobId }
}
