/** Runs of workflows with as many elements as are allowed. */
import { deployAgent, send } from '../environments.ts'
import { requestBytes } from '../http-client.ts'
import type { Attack } from './attack.ts'

const runs = 8
const elements = 1_000

const echo = {
  name: 'echo',
  description: 'Returns its input.',
  inputSchema: { type: 'object' },
  effect: 'read',
  idempotent: true,
  approval: 'never',
  handler: { type: 'echo' },
}
const each = { operation: 'shop.echo', forEach: '{{params.items}}', concurrency: 100, input: { n: '{{item}}' } }
const all = { params: { type: 'object' }, steps: [{ id: 'each', ...each }] }

export const workflowAttacks: Attack[] = [
  {
    what: `${runs} runs of a workflow with 1,000 elements`,
    async prepare(server) {
      const { path, agentId } = await deployAgent(server, 'lists', { shop: { operations: [echo] } }, {}, { all })
      const items = Array.from({ length: elements }, (_, index) => index)
      const run = { agentId, definitionIdOrName: 'all', params: { items } }
      const started = Array.from({ length: runs }, () => send(server, 'POST', `${path}/workflows`, run))
      await Promise.all(started)
      // the runs are the attack
      return [requestBytes('GET', '/healthz')]
    },
  },
]
