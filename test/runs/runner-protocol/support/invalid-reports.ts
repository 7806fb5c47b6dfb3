/** Reports of a runner whose bodies are invalid: method, path, what is wrong, body, and the place that the answer names. */
import { awaits, conversation, pendingCall, textDelta } from '../../../support/simulated-runner.ts'

const usage = { inputTokens: -1, outputTokens: 0, totalTokens: 0, cachedInputTokens: 0, reasoningTokens: 0 }
const whole = conversation([])

export const invalidReports: [string, string, string, object, string][] = [
  ['POST', '/heartbeat', 'without a number', {}, '/body/lastStepSequence'],
  ['POST', '/heartbeat', 'with a negative number', { lastStepSequence: -1 }, '/body/lastStepSequence'],
  ['POST', '/steps', 'of an unknown kind', { kind: 'dream', name: 'x' }, '/body/kind'],
  ['POST', '/steps', 'without a name', { kind: 'model', name: '' }, '/body/name'],
  ['POST', '/steps', 'with an unknown field', { kind: 'model', name: 'x', color: 'red' }, '/body/color'],
  ['POST', '/events', 'without events', { events: [] }, '/body/events'],
  [
    'POST',
    '/events',
    'of an unknown type',
    { events: [{ ...textDelta(1, 'x'), type: 'step.dance' }] },
    '/body/events/0/type',
  ],
  ['POST', '/complete', 'of an unknown outcome', { outcome: 'bored' }, '/body/outcome'],
  ['POST', '/complete', 'completed without a stop reason', { outcome: 'completed', output: 1 }, '/body/stopReason'],
  ['POST', '/complete', 'failed without an error', { outcome: 'failed' }, '/body/error'],
  ['POST', '/complete', 'awaiting nothing', { outcome: 'awaitingToolResult' }, '/body/awaiting'],
  ['POST', '/complete', 'awaiting an empty list', { outcome: 'awaitingToolResult', awaiting: [] }, '/body/awaiting'],
  [
    'POST',
    '/complete',
    'awaiting a delegate as a tool',
    { outcome: 'awaitingToolResult', awaiting: [pendingCall('delegate', 'a')] },
    '/body/awaiting/0/kind',
  ],
  ['POST', '/complete', 'awaiting one call twice', awaits('delegate', 'a', 'b', 'a'), '/body/awaiting/2/toolCallId'],
  [
    'POST',
    '/complete',
    'failed with a negative pause',
    { outcome: 'failed', error: { code: 'x', message: 'y', retryable: true, retryAfterMs: -1 } },
    '/body/error/retryAfterMs',
  ],
  ['PATCH', '/steps/:step', 'running again', { status: 'running' }, '/body/status'],
  [
    'PATCH',
    '/steps/:step',
    'with negative tokens',
    { status: 'completed', tokenUsage: usage },
    '/body/tokenUsage/inputTokens',
  ],
  ['POST', '/steps/:step/checkpoints', 'of an unknown kind', { kind: 'draft', runtimeCheckpoint: whole }, '/body/kind'],
  [
    'POST',
    '/steps/:step/checkpoints',
    'of another version',
    { kind: 'step', runtimeCheckpoint: { ...whole, version: 2 } },
    '/body/runtimeCheckpoint/version',
  ],
  [
    'POST',
    '/steps/:step/checkpoints',
    'without messages',
    { kind: 'step', runtimeCheckpoint: { ...whole, messages: undefined } },
    '/body/runtimeCheckpoint/messages',
  ],
]
