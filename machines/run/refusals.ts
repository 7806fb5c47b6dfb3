/**
 * Refusals of a start or a continue for reasons other than the state. Source: requirement 3, 4.14, "Continue a run";
 * contract 5.
 */
import type { Refusal, StateMeta } from '../words.ts'
import { conversationMebibytesMax, queuedInputsMax } from './words.ts'

const withoutContent = {
  status: 409,
  code: 'invalid_transition',
  message: 'The content of the run was removed; start a new one.',
  conflictReason: 'content_removed',
  when: 'contentRemoved',
} as const satisfies Refusal
const withoutCaller = {
  status: 409,
  code: 'invalid_transition',
  message: 'The run was canceled with the call that started it; start a new one.',
  conflictReason: 'call_canceled',
  when: 'callCanceled',
} as const satisfies Refusal
/** The permanent refusals of a continue. */
export const permanent = [withoutCaller, withoutContent] as const
/** Refusals of both a start and a continue, which may be temporary. */
export const withoutMeans: readonly Refusal[] = [
  {
    status: 402,
    code: 'budget_exhausted',
    message:
      'The minute budget of the billing period is used up or reserved by active runs; ' +
      'wait for one of them to end or for the next period, or change the plan.',
    unless: 'budgetLeft',
  },
  {
    status: 422,
    code: 'limit_exceeded',
    message:
      'The organization has reached the limit of its plan on unfinished runs or on stored run content; ' +
      'wait for runs to end or for content to be removed, or change the plan.',
    unless: 'roomLeft',
  },
]
/** The refusal of a message, or of a fork, that the conversation has no room for. */
export const conversationFull: Refusal = {
  status: 422,
  code: 'limit_exceeded',
  message:
    `The conversation would be larger than ${conversationMebibytesMax} MiB; ` +
    'start a new run, or fork this one at an earlier checkpoint.',
  unless: 'conversationFits',
}
// a caller without permission learns nothing about the run
const unauthorized: Refusal = {
  status: 404,
  code: 'not_found',
  message: 'There is no such resource.',
  unless: 'authorized',
}
/** The refusal of a start now while the run waits after a lost attempt. */
export const begun: StateMeta = {
  refuses: {
    startNow: {
      status: 409,
      code: 'invalid_transition',
      message: 'The run has started: it waits for its next attempt, which begins by itself.',
    },
  },
}
/** The refusal of a message when too many wait. */
export const full: Refusal = {
  status: 422,
  code: 'limit_exceeded',
  message: `${queuedInputsMax} messages wait for this run already; send it again once one of them has its turn.`,
}
/** Refusals of a message, also of one that interrupts, while the run is active. */
export const busy: StateMeta = { refuses: { enqueue: { ...full, unless: 'first' }, cancel: full } }
/** The refusal of a start. */
export const forbidden: Refusal = {
  status: 403,
  code: 'permission_denied',
  message: 'The credential has no permission to start runs here.',
  unless: 'authorized',
}
/** Refusals of a continue in the waiting states; the permanent ones come first. */
export const awaiting: StateMeta = { refuses: { continue: [unauthorized, ...withoutMeans] } }
export const ended: StateMeta = {
  refuses: { continue: [unauthorized, ...permanent, ...withoutMeans, conversationFull] },
}
