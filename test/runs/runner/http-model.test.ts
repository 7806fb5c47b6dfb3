/** A model step over the gateway, as read by an external runner. */
import { expect, test } from 'bun:test'
import { ProviderFailure } from '../../../src/runs/providers/errors.ts'
import type { StepPart } from '../../../src/runs/providers/step.ts'
import { streamOverHttp } from '../../../src/runs/runner/protocol/http-model.ts'
import { StaleAttempt } from '../../../src/runs/runner/protocol/protocol.ts'

const text = (said: string) => ({ type: 'text', text: said })
const finish = {
  type: 'finish',
  finishReason: 'stop',
  usage: {},
  assistantMessage: { role: 'assistant', content: 'x' },
}
const lines = (...said: object[]) => said.map((line) => `${JSON.stringify(line)}\n`).join('')

/** Answers in order; the last one is repeated. `cut`: the connection breaks after it. */
function gateway(...answers: { body: string; cut?: true }[]) {
  const stopped: string[] = []
  const controller = new AbortController()
  let opened = 0
  const read = async () => {
    const parts: StepPart[] = []
    const stream = streamOverHttp({
      async open() {
        const { body, cut } = answers[Math.min(opened++, answers.length - 1)]!
        return new Response(
          new ReadableStream({
            start(sink) {
              // in pieces that ignore line boundaries
              const bytes = new TextEncoder().encode(body)
              for (let at = 0; at < bytes.length; at += 7) sink.enqueue(bytes.slice(at, at + 7))
              if (cut) sink.error(new Error('cut'))
              else sink.close()
            },
          }),
        )
      },
      signal: controller.signal,
      clock: {
        now: () => 0,
        after(_, callback) {
          const timer = setTimeout(callback, 0)
          return { cancel: () => clearTimeout(timer) }
        },
      },
      onStopped: (signal) => stopped.push(signal),
    })
    for await (const part of stream) parts.push(part)
    return parts
  }
  return { read, stopped, controller, opened: () => opened }
}
const thrownBy = (reading: Promise<unknown>) => reading.then(() => undefined).catch((error) => error)
const saidIn = (parts: StepPart[]) => parts.map((part) => ('text' in part ? part.text : part.type)).join('|')

test('parts arrive as they were sent, and empty lines are ignored', async () => {
  const { read } = gateway({ body: `\n${lines(text('Grüße '))}\n\n${lines(text('☕'), finish)}` })
  expect(saidIn(await read())).toBe('Grüße |☕|finish')
})

test.each([
  ['ends without a last line', { body: lines(text('Hello ')) }],
  ['breaks', { body: lines(text('Hello ')), cut: true as const }],
  ['ends within a line', { body: lines(text('Hello ')).slice(0, -4) }],
  ['is an HTML page of a proxy', { body: '<html>\n' }],
])('a connection that %s is made again, and parts are not repeated', async (_, broken) => {
  const wire = gateway(broken, { body: lines(text('Hel'), text('lo there'), finish) })
  expect(
    saidIn(await wire.read())
      .replaceAll('|', '')
      .replace('finish', ''),
  ).toBe('Hello there')
  expect(wire.opened()).toBe(2)
})

test('a model with another output the second time has failed', async () => {
  const wire = gateway({ body: lines(text('Hello ')) }, { body: lines(text('Good day'), finish) })
  const error = await thrownBy(wire.read())
  expect(error).toBeInstanceOf(ProviderFailure)
  expect(error).toMatchObject({ code: 'provider_error', retryable: true })
})

test('inputs of different calls are not mixed up when they are repeated', async () => {
  const input = (toolCallId: string, said: string) => ({ type: 'toolInput', toolCallId, toolName: 'echo', text: said })
  const wire = gateway(
    { body: lines(input('a', '{"n":'), input('b', '{')) },
    { body: lines(input('a', '{"n":1}'), input('b', '{}'), finish) },
  )
  const inputTexts = new Map<string, string>()
  for (const part of await wire.read()) {
    if (part.type === 'toolInput') inputTexts.set(part.toolCallId, (inputTexts.get(part.toolCallId) ?? '') + part.text)
  }
  expect(Object.fromEntries(inputTexts)).toEqual({ a: '{"n":1}', b: '{}' })
})

test('a connection that breaks repeatedly is given up', async () => {
  const wire = gateway({ body: '' })
  expect(await thrownBy(wire.read())).toMatchObject({ code: 'provider_error', retryable: true })
  expect(wire.opened()).toBe(11)
})

test('an error of the vendor keeps its class', async () => {
  const error = { code: 'provider_rate_limited', message: 'Slow down.', retryable: true, retryAfterMs: 7_000 }
  const thrown = await thrownBy(gateway({ body: lines(text('Hel'), { type: 'error', error }) }).read())
  expect(thrown).toBeInstanceOf(ProviderFailure)
  const { code, message, retryable, retryAfterMs } = thrown
  expect({ code, message, retryable, retryAfterMs }).toEqual(error)
})

test.each(['cancel', 'drain'])('%s is reported to the attempt, and ends the step', async (signal) => {
  const wire = gateway({ body: lines(text('Hel'), { type: 'stopped', signal }) })
  expect(await thrownBy(wire.read())).toMatchObject({ name: 'AbortError' })
  expect(wire.stopped).toEqual([signal])
  expect(wire.opened()).toBe(1)
})

test('a stale attempt gets its error', async () => {
  const wire = gateway({ body: lines({ type: 'stopped', signal: 'stale' }) })
  expect(await thrownBy(wire.read())).toBeInstanceOf(StaleAttempt)
  expect(wire.stopped).toEqual([])
})

test('an aborted step makes no call', async () => {
  const wire = gateway({ body: '' })
  wire.controller.abort()
  expect(await thrownBy(wire.read())).toMatchObject({ name: 'AbortError' })
  expect(wire.opened()).toBe(0)
})
