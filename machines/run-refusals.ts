/**
 * Why a run is not started or continued, where that is not the state alone.
 * Source: requirement 3, 4.14, "Continue a run"; contract 5.
 */
import type { Refusal, StateMeta } from './words.ts'

const withoutContent: Refusal = {
  status: 409,
  code: 'invalid_transition',
  message: 'The content of the run was removed; start a new one.',
  conflictReason: 'content_removed',
  when: 'contentRemoved',
}
const withoutCaller: Refusal = {
  status: 409,
  code: 'invalid_transition',
  message: 'The run was broken off with the call that had started it; start a new one.',
  conflictReason: 'call_canceled',
  when: 'callCanceled',
}
/** What stands in the way of a start and of a continue alike, and may change. */
export const withoutMeans: readonly Refusal[] = [
  {
    status: 402,
    code: 'budget_exhausted',
    message: 'The minute budget of the billing period is used up.',
    unless: 'budgetLeft',
  },
  {
    status: 422,
    code: 'limit_exceeded',
    message: 'The organization has as many live runs, or as much stored of them, as its plan allows.',
    unless: 'roomLeft',
  },
]
// whoever may not continue a run hears of none
const unauthorized: Refusal = {
  status: 404,
  code: 'not_found',
  message: 'There is no such resource.',
  unless: 'authorized',
}
/** Of a start. */
export const forbidden: Refusal = {
  status: 403,
  code: 'permission_denied',
  message: 'The credential may not start runs here.',
  unless: 'authorized',
}
/** Of the states that a run can be continued in: what stands in the way for good is told first. */
export const awaiting: StateMeta = { refuses: { continue: [unauthorized, ...withoutMeans] } }
export const ended: StateMeta = {
  refuses: { continue: [unauthorized, withoutCaller, withoutContent, ...withoutMeans] },
}
