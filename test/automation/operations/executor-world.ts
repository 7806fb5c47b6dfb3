/** An executor of invocations between a store and operations that a test controls. */
import {
  InvocationExecutor,
  type InvocationExecutorParts,
} from '../../../src/automation/operations/invocations/invocation-executor.ts'
import { HandClock } from '../../runtime/statecharts/clock.ts'

export type Perform = (call: { callKey: string; signal: AbortSignal; onSending(): Promise<void> }) => Promise<unknown>

export function open(
  perform: Perform,
  {
    repeatable = false,
    idempotent = repeatable,
    performances = 2,
    canceled = false,
    fate,
  }: Partial<Record<string, unknown>> = {},
) {
  const clock = new HandClock()
  const reports: Record<string, unknown>[] = []
  const errors: unknown[] = []
  const calledOff: string[] = []
  const refusals: Error[] = []
  const unread: Error[] = []
  const row = {
    id: 'opi_1',
    deployment_id: 'dep_1',
    agent_id: 'agt_1',
    operation: 'shop.send',
    input: '{"n":1}',
    trace: null,
  }
  const actors = {
    async read() {
      const refusal = unread.shift()
      if (refusal) throw refusal
      return { state: 'running', row, context: { performances, performer: 'here', repeatable, canceled } }
    },
    recall: () => undefined,
    hasRow: () => true,
    async send(_: unknown, report: Record<string, unknown>) {
      const refusal = refusals.shift()
      if (refusal) throw refusal
      reports.push(structuredClone(report))
    },
  }
  const performer = new InvocationExecutor({
    name: 'here',
    clock,
    actors,
    bundles: {
      find: () => ({
        agent: () => ({ agentId: 'agt_1' }),
        operation: () => ({ effect: 'write', idempotent }),
      }),
    },
    operations: {
      perform,
      async assertOutput() {},
      async cancel(callKey: string) {
        calledOff.push(callKey)
        const refusal = refusals.shift()
        if (refusal) throw refusal
        return fate
      },
    },
    onError: (error: unknown) => void errors.push(error),
  } as unknown as InvocationExecutorParts)
  return { clock, reports, errors, refusals, unread, calledOff, performer }
}
export const settle = async () => {
  for (let count = 0; count < 20; count += 1) await Promise.resolve()
}
