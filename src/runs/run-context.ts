/**
 * The public part of a run's context, as an allowlist: a new field stays private until it is added here. Tool call
 * inputs, report digests and the fencing token stay private. Source: contract 9.
 */

import { costOf } from '../../machines/run/budget.ts'
import type { RunContext } from '../../machines/run.ts'
import { timestamp, timestampOrNull } from '../platform/http/timestamp.ts'
import { awaitingKindOf } from './present.ts'

export const publicRunContext = (context: RunContext) => ({
  attempt: context.attempt,
  chain: context.chain,
  maxRetries: context.maxRetries,
  retriesLeft: context.retriesLeft,
  lease: context.lease && {
    attemptId: context.lease.attemptId,
    machine: context.lease.machine,
    ...(context.lease.runner && { runner: context.lease.runner }),
  },
  activeMs: context.activeMs,
  activeSince: timestampOrNull(context.activeSince),
  availableAt: timestamp(context.availableAt),
  awaiting: context.awaiting.map((call) => ({
    kind: awaitingKindOf(call),
    toolName: call.toolName,
    toolCallId: call.toolCallId,
  })),
  queuedInputs: (context.queuedInputs ?? []).map(({ inputId, at }) => ({ inputId, createdAt: timestamp(at) })),
  stopRequested: context.stopRequested,
  cause: context.cause && { code: context.cause.code, message: context.cause.message },
  stopReason: context.stopReason,
  ...(context.budget && { budget: context.budget }),
  ...(context.spent && { usedTokens: context.spent.tokens, cost: costOf(context.spent) }),
  startedAt: timestampOrNull(context.startedAt),
  endedAt: timestampOrNull(context.endedAt),
  // runs that ended before content retention was introduced do not have it
  contentRemoved: context.contentRemoved ?? false,
})
