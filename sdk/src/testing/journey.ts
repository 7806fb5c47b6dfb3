/** The states that a run goes through. */
import type { AgentRunState } from '../generated/schemas.ts'
import type { Run } from '../runs/run.ts'

/** A run did not go through the expected states. Test runners show both lists. */
export class JourneyError extends Error {
  override readonly name = 'AssertionError'
  readonly code = 'ERR_ASSERTION'
  readonly expected: readonly string[]
  readonly actual: readonly string[]

  constructor(run: Run, how: string, expected: readonly string[], actual: readonly string[]) {
    super(`${run.id} ${how}.\nexpected: ${expected.join(' → ')}\nactual:   ${actual.join(' → ') || 'nothing yet'}`)
    this.expected = expected
    this.actual = actual
  }
}

/** The timeout of a check. */
export interface JourneyOptions {
  /** Default: 30,000. */
  timeoutMs?: number
}

/** The states between queued and running, which few tests check. */
const onTheWay = new Set<string>(['acquiring', 'starting'])

/** Expectations of a run's states. */
export interface Journey {
  /**
   * Resolves as soon as the run has gone through exactly these states, from the first one on. `acquiring` and
   * `starting` are skipped unless they are named. Rejects at the first other state, when the run ends earlier, and
   * after the timeout.
   */
  toBe(...states: AgentRunState[]): Promise<void>
}

/**
 * Checks the states of a run, which need not have ended.
 *
 *     await expectJourney(run).toBe('queued', 'running', 'awaitingToolResult')
 *     await run.answer('call_1', 'blue')
 *     await expectJourney(run).toBe('queued', 'running', 'awaitingToolResult', 'queued', 'running', 'completed')
 */
export const expectJourney = (run: Run, { timeoutMs = 30_000 }: JourneyOptions = {}): Journey => ({
  async toBe(...expected) {
    const isNamed = (state: string) => !onTheWay.has(state) || expected.some((each) => each === state)
    const actual: string[] = []
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(), timeoutMs)
    try {
      for await (const { data } of run.events({ types: ['run.transition'] }, { signal: late.signal })) {
        // a transition within a state is not a new state
        if (data.to === data.from || !isNamed(data.to)) continue
        actual.push(data.to)
        if (data.to !== expected[actual.length - 1]) throw new JourneyError(run, 'went elsewhere', expected, actual)
        if (actual.length === expected.length) return
      }
    } catch (error) {
      if (!late.signal.aborted) throw error
      throw new JourneyError(run, `did not get there within ${timeoutMs} ms`, expected, actual)
    } finally {
      clearTimeout(timer)
    }
    throw new JourneyError(run, 'ended before', expected, actual)
  },
})
