/** Runs, and several moves that they can make at once. */
import type { AnyEventObject } from 'xstate'
import { admission } from '../machines/run/runs.ts'
import { at, type Case } from './moves.ts'

const lease = (attemptId: string, fencingToken: number): AnyEventObject[] => [
  { type: 'leaseRequested', attemptId, machine: 'm' },
  { type: 'leased', attemptId, fencingToken },
  { type: 'booted', fencingToken },
]

export const casesOfRuns: Case[] = [
  {
    kind: 'run',
    table: 'runs',
    input: { maxRetries: 2, at },
    row: { project_id: null, environment_id: null, binding: '{}', created_by_type: 'apiKey' },
    events: [
      ...lease('att_1', 7),
      {
        type: 'completed',
        fencingToken: 7,
        reportDigest: 'r1',
        stopReason: 'end_turn',
        output: 'x',
        outputDigest: 'd',
      },
      { type: 'continue', ...admission, input: { query: 'More', contents: [] } },
      ...lease('att_2', 8),
      { type: 'failed', fencingToken: 8, reportDigest: 'r2', cause: { code: 'tool_error', message: 'It broke.' } },
    ],
    state: 'failed',
  },
  {
    // it has held its machine for ten minutes
    kind: 'run',
    table: 'runs',
    input: { maxRetries: 2, at },
    row: { project_id: null, environment_id: null, binding: '{}', created_by_type: 'apiKey', state: 'running' },
    context: {
      attempt: 1,
      lease: { attemptId: 'att_1', machine: 'm', fencingToken: 7 },
      activeSince: at - 600_000,
      startedAt: at - 600_000,
    },
    events: [
      { type: 'attemptLost', fencingToken: 7, cause: { code: 'lease_lost', message: 'It is gone.' }, retryAfterMs: 0 },
      ...lease('att_2', 8),
      {
        type: 'completed',
        fencingToken: 8,
        reportDigest: 'r1',
        stopReason: 'end_turn',
        output: 'x',
        outputDigest: 'd1',
      },
      { type: 'continue', ...admission, input: { query: 'More', contents: [] } },
      ...lease('att_3', 9),
      {
        type: 'completed',
        fencingToken: 9,
        reportDigest: 'r2',
        stopReason: 'end_turn',
        output: 'y',
        outputDigest: 'd2',
      },
    ],
    state: 'completed',
  },
]
