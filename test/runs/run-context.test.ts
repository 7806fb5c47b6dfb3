import { expect, test } from 'bun:test'
import type { RunContext } from '../../machines/run.ts'
import { publicRunContext } from '../../src/runs/run-context.ts'

const context: RunContext & { addedLater: string } = {
  maxRetries: 2,
  retriesLeft: 1,
  attempt: 3,
  chain: 2,
  lease: {
    attemptId: 'att_1',
    machine: 'machine-1',
    runner: { poolId: 'rpl_1', tokenId: 'rtk_1' },
    fencingToken: 918273645,
  },
  settled: { attemptId: 'att_0', reportDigest: 'sha256:hidden' },
  activeMs: 5,
  activeSince: Date.parse('2026-01-31T12:00:00.000Z'),
  availableAt: Date.parse('2026-01-31T11:00:00.000Z'),
  awaiting: [{ kind: 'tool', toolName: 'ask', toolCallId: 'call_1', input: { question: 'hidden' } }],
  cause: { code: 'lease_lost', message: 'The lease was lost.' },
  queuedInputs: [{ inputId: 3, at: Date.parse('2026-01-31T12:30:00.000Z'), query: 'hidden' }],
  queuedSoFar: 3,
  stopRequested: true,
  stopReason: null,
  startedAt: null,
  endedAt: null,
  contentRemoved: false,
  addedLater: 'hidden',
}

test('users see the context of a run without inputs, digests, fencing tokens or unlisted fields', () => {
  const shown = publicRunContext(context)
  expect(shown).toEqual({
    attempt: 3,
    chain: 2,
    maxRetries: 2,
    retriesLeft: 1,
    lease: { attemptId: 'att_1', machine: 'machine-1', runner: { poolId: 'rpl_1', tokenId: 'rtk_1' } },
    activeMs: 5,
    activeSince: '2026-01-31T12:00:00.000Z',
    availableAt: '2026-01-31T11:00:00.000Z',
    awaiting: [{ kind: 'tool', toolName: 'ask', toolCallId: 'call_1' }],
    queuedInputs: [{ inputId: 3, createdAt: '2026-01-31T12:30:00.000Z' }],
    cause: { code: 'lease_lost', message: 'The lease was lost.' },
    stopRequested: true,
    stopReason: null,
    startedAt: null,
    endedAt: null,
    contentRemoved: false,
  })
  expect(JSON.stringify(shown)).not.toMatch(/hidden|918273645/)
})

test('a run without a lease or a cause shows neither', () => {
  expect(publicRunContext({ ...context, lease: null, cause: null })).toMatchObject({ lease: null, cause: null })
})
