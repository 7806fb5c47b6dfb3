import { describe, expect, test } from 'bun:test'
import type { ModelMessage } from 'ai'
import { streamStep } from '../../../src/runs/providers/call.ts'
import { countWords } from '../../../src/runs/providers/sandbox/words.ts'
import type { StepFinish, StepPart, StepRequest } from '../../../src/runs/providers/step.ts'

const ask = (
  content: Extract<ModelMessage, { role: 'user' }>['content'],
  changes: Partial<StepRequest> = {},
): StepRequest => ({
  provider: 'sandbox',
  model: 'sandbox',
  system: '',
  messages: [{ role: 'user', content }],
  tools: [],
  signal: new AbortController().signal,
  attempt: 1,
  ...changes,
})

async function step(request: StepRequest) {
  const parts: StepPart[] = []
  for await (const part of streamStep(request)) parts.push(part)
  const deltas = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  return { parts, deltas, text: deltas.join(''), finish: parts.at(-1) as StepFinish }
}

const resultOf = (call: { toolCallId: string; toolName: string }): ModelMessage => ({
  role: 'tool',
  content: [
    {
      type: 'tool-result',
      toolCallId: call.toolCallId,
      toolName: call.toolName,
      output: { type: 'text', value: 'done now' },
    },
  ],
})

/** Steps until the model stops, with each call answered. */
async function run(query: string, changes: Partial<StepRequest> = {}) {
  const request = ask(query, changes)
  const steps: Awaited<ReturnType<typeof step>>[] = []
  for (;;) {
    const taken = await step(request)
    steps.push(taken)
    request.messages.push(taken.finish.assistantMessage)
    const call = taken.parts.find((part) => part.type === 'toolCall')
    if (!call) return { steps, messages: request.messages }
    request.messages.push(resultOf(call))
  }
}

describe('without a directive', () => {
  test('it repeats its input, word by word', async () => {
    const { deltas, finish } = await step(ask('hello  brave\nworld', { system: 'Be brief.' }))
    expect(deltas).toEqual(['You ', 'said: ', 'hello  ', 'brave\n', 'world'])
    expect(finish).toEqual({
      type: 'finish',
      finishReason: 'stop',
      usage: { inputTokens: 5, outputTokens: 5, totalTokens: 10, cachedInputTokens: 0, reasoningTokens: 0 },
      assistantMessage: { role: 'assistant', content: 'You said: hello  brave\nworld' },
    })
  })

  test.each([
    'say hello',
    ' /say hello',
    'please /say hello',
    '/shout hello',
    '/sayhello',
    '/SAY hello',
    '/sleep soon',
    '/sleep -1',
    '/sleep',
    '/tokens 1.5',
    '/flaky',
    '/call',
    '//say',
  ])('%j is no directive', async (query) => {
    expect((await step(ask(query))).text).toBe(`You said: ${query}`)
  })

  test('the text parts of a message are joined by line breaks', async () => {
    const image = { type: 'image' as const, image: 'aGk=', mediaType: 'image/png' }
    const { text } = await step(ask([{ type: 'text', text: 'one' }, image, { type: 'text', text: 'two' }]))
    expect(text).toBe('You said: one\ntwo')
  })

  test('an empty message is answered too', async () => {
    expect((await step(ask([]))).text).toBe('You said: ')
    expect((await step(ask('', { messages: [] }))).text).toBe('You said: ')
  })

  test('only the last user message counts', async () => {
    const messages: ModelMessage[] = [
      { role: 'user', content: '/fail no' },
      { role: 'assistant', content: 'x' },
      { role: 'user', content: 'again' },
    ]
    expect((await step(ask('', { messages }))).text).toBe('You said: again')
  })
})

describe('directives', () => {
  test.each([
    { query: '/say Hello there', text: 'Hello there' },
    { query: 'Note:\n/say Hello\nthe end', text: 'Hello' },
    { query: '/say Hello\r\n/say there', text: 'Hello there' },
    { query: '/say', text: '' },
    { query: '/say   spaced   out', text: 'spaced   out' },
    { query: '/tokens 3', text: 'word word word' },
    { query: '/tokens 0', text: '' },
    { query: '/say Now\n/tokens 2\n/say done', text: 'Now word word done' },
    { query: '/sleep 0\n/say awake', text: 'awake' },
    { query: '/sleep 0', text: '' },
    { query: '/flaky 0\n/say fine', text: 'fine' },
  ])('$query', async ({ query, text }) => {
    const { steps } = await run(query)
    expect(steps.map((taken) => taken.text)).toEqual([text])
    expect(steps[0]!.finish.usage.outputTokens).toBe(await countWords(text))
    expect(steps[0]!.finish.assistantMessage).toEqual({ role: 'assistant', content: text })
    expect(steps[0]!.finish.finishReason).toBe('stop')
  })

  test.each(['/tokens 200000', '/say x\n'.repeat(100_000), 'word '.repeat(200_000)])(
    'other work continues during a long answer',
    async (query) => {
      let turns = 0
      const count = () => {
        turns += 1
        counting = setImmediate(count)
      }
      let counting = setImmediate(count)
      await step(ask(query))
      clearImmediate(counting)
      expect(turns).toBeGreaterThan(50)
    },
  )

  test.each([
    ['a long message is read', `${'/x\n'.repeat(300_000)}/say yes`, 'yes'],
    ['the words of a long message are counted', `${' '.repeat(12_000_000)}\n/say yes`, 'yes'],
  ])('other work continues while %s', async (_, query, said) => {
    let turns = 0
    const count = () => {
      turns += 1
      counting = setImmediate(count)
    }
    let counting = setImmediate(count)
    expect((await step(ask(query))).text).toBe(said)
    clearImmediate(counting)
    expect(turns).toBeGreaterThan(10)
  })

  test('tokens come one by one', async () => {
    expect((await step(ask('/tokens 1000'))).deltas).toHaveLength(1_000)
  })

  test('each call is a separate step, with the text before it', async () => {
    const query = '/say First\n/call clock {"zone": "UTC"}\n/call echo\n/say Last'
    const { steps } = await run(query)
    expect(steps.map(({ text, finish }) => [text, finish.finishReason])).toEqual([
      ['First', 'tool-calls'],
      ['', 'tool-calls'],
      ['Last', 'stop'],
    ])
    expect(steps[0]!.parts.slice(-3)).toEqual([
      { type: 'toolInput', toolCallId: 'call_1', toolName: 'clock', text: '{"zone": "UTC"}' },
      { type: 'toolCall', toolCallId: 'call_1', toolName: 'clock', input: { zone: 'UTC' } },
      steps[0]!.finish,
    ])
    expect(steps[0]!.finish.assistantMessage.content).toEqual([
      { type: 'text', text: 'First' },
      { type: 'tool-call', toolCallId: 'call_1', toolName: 'clock', input: { zone: 'UTC' } },
    ])
    expect(steps[1]!.finish.assistantMessage.content).toEqual([
      { type: 'tool-call', toolCallId: 'call_2', toolName: 'echo', input: {} },
    ])
  })

  test('after its last call it answers, if only with an empty text', async () => {
    const { steps } = await run('/call clock')
    expect(steps.map(({ text }) => text)).toEqual(['', ''])
    expect(steps[1]!.finish).toMatchObject({ finishReason: 'stop', usage: { outputTokens: 0 } })
  })

  test('a continued conversation starts over, with new ids', async () => {
    const { messages } = await run('/call clock')
    messages.push({ role: 'user', content: '/call echo\n/say Bye' })
    const { parts } = await step(ask('', { messages }))
    expect(parts.find((part) => part.type === 'toolCall')).toMatchObject({ toolCallId: 'call_2', toolName: 'echo' })
  })

  test('the prompt is counted: instructions, messages and results', async () => {
    const { steps } = await run('/call clock {"a":1}', { system: 'Be very brief.' })
    expect(steps.map(({ finish }) => finish.usage.inputTokens)).toEqual([3 + 3, 3 + 3 + 2])
  })

  test('the same request gives the same parts', async () => {
    const query = '/say one two\n/call clock {"a":1}\n/tokens 4'
    expect((await run(query)).messages).toEqual((await run(query)).messages)
    expect((await step(ask(query))).parts).toEqual((await step(ask(query))).parts)
  })

  test.each(['{"a":', '[1]', '"text"', 'null', '7', 'zone=UTC'])(
    'a call with %s is invalid_model_output',
    async (json) => {
      const expected = { name: 'ProviderFailure', code: 'invalid_model_output', retryable: false }
      expect(await step(ask(`/call clock ${json}`)).catch((thrown) => thrown)).toMatchObject(expected)
    },
  )

  test('fail is a permanent failure with its message', async () => {
    const expected = { name: 'ProviderFailure', code: 'provider_error', retryable: false }
    const thrown = await step(ask('/say x\n/fail Out of order')).catch((error) => error)
    expect(thrown).toMatchObject({ ...expected, message: 'Out of order' })
    expect(await step(ask('/fail')).catch((error) => error)).toMatchObject(expected)
  })

  test.each([
    { attempt: 1, fails: true },
    { attempt: 2, fails: true },
    { attempt: 3, fails: false },
    { attempt: 4, fails: false },
  ])('flaky 2 on attempt $attempt fails: $fails', async ({ attempt, fails }) => {
    const taken = step(ask('/flaky 2\n/say fine', { attempt }))
    if (!fails) expect((await taken).text).toBe('fine')
    else {
      const expected = { name: 'ProviderFailure', code: 'provider_error', retryable: true }
      expect(await taken.catch((error) => error)).toMatchObject(expected)
    }
  })

  test('flaky after a call fails only its own step', async () => {
    const query = '/call clock\n/flaky 1\n/say fine'
    const first = await step(ask(query))
    expect(first.finish.finishReason).toBe('tool-calls')
    const call = first.parts.find((part) => part.type === 'toolCall')!
    const messages: ModelMessage[] = [{ role: 'user', content: query }, first.finish.assistantMessage, resultOf(call)]
    expect(await step(ask('', { messages })).catch((error) => error)).toMatchObject({ retryable: true })
    expect((await step(ask('', { messages, attempt: 2 }))).text).toBe('fine')
  })
})

describe('limits', () => {
  test('it stops at the token limit', async () => {
    const { text, finish } = await step(ask('/tokens 10\n/call clock', { maxOutputTokens: 4 }))
    expect(text).toBe('word word word word ')
    expect(finish).toMatchObject({ finishReason: 'length', usage: { outputTokens: 4 } })
    expect((await step(ask('/tokens 4', { maxOutputTokens: 4 }))).finish.finishReason).toBe('stop')
  })

  test('an abort ends a sleep at once', async () => {
    const controller = new AbortController()
    const taken = step(ask('/sleep 100000000\n/say late', { signal: controller.signal }))
    controller.abort()
    expect(await taken.catch((error) => error)).toMatchObject({ name: 'AbortError' })
  })

  test('an abort ends a stream between two words', async () => {
    const controller = new AbortController()
    const words: string[] = []
    const read = async () => {
      for await (const part of streamStep(ask('/tokens 100', { signal: controller.signal }))) {
        if (part.type === 'text') words.push(part.text)
        if (words.length === 5) controller.abort()
      }
    }
    expect(await read().catch((error) => error)).toMatchObject({ name: 'AbortError' })
    expect(words).toHaveLength(5)
  })

  test('a step whose signal has fired outputs nothing', async () => {
    const taken = step(ask('hello', { signal: AbortSignal.abort() }))
    expect(await taken.catch((error) => error)).toMatchObject({ name: 'AbortError' })
  })
})

test.each([
  ['', 0],
  ['  ', 0],
  ['one', 1],
  [' one\ttwo\n\nthree ', 3],
  ['eins\u00a0zwei\u3000drei', 3],
  ['naïve façade', 2],
] as const)('%j has %d words', async (text, words) => expect(await countWords(text)).toBe(words))

test('neither the AI SDK nor any vendor is loaded before a vendor is called', async () => {
  const script = `
    const { streamStep } = await import('${import.meta.dir}/../../../src/runs/providers/call.ts')
    await import('${import.meta.dir}/../../../src/runs/providers/platform.ts')
    const request = { provider: 'sandbox', model: 'sandbox', system: '', messages: [{ role: 'user', content: 'hi' }],
      tools: [], signal: new AbortController().signal, attempt: 1 }
    for await (const part of streamStep(request)) if (part.type === 'finish') console.log(part.usage.outputTokens)
    console.log(JSON.stringify(Object.keys(require.cache).filter((path) => path.includes('node_modules'))))`
  const child = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe', stderr: 'inherit' })
  expect(await new Response(child.stdout).text()).toBe('3\n[]\n')
})
