/** Runs each Agent of each template on the sandbox model: its content is valid for the runner. */
import { expect, test } from 'bun:test'
import { templates } from '../../../src/authoring/templates/catalogue.ts'
import { contentOf, type TemplateContent } from '../../../src/authoring/templates/template.ts'
import { runAttempt } from '../../../src/runs/runner/attempt.ts'
import { runnerServices } from '../../../src/runs/runner/services.ts'
import { builtinTools } from '../../../src/runs/runner/tools/builtins.ts'
import { newId } from '../../../storage/ids.ts'
import { ManualClock } from '../../runs/runner/support/clock.ts'
import { FakeServer } from '../../runs/runner/support/server.ts'
import { answers } from './samples.ts'

const agents = templates.flatMap(({ slug: template, agents: all }) =>
  all.map(({ slug, content }) => ({ agent: `${template}/${slug}`, content })),
)
const inputs = { clock: {}, calculator: { expression: '2 * 21' }, echo: { text: 'a' } }
const results = { clock: { now: '2026-01-01T00:00:00.000Z' }, calculator: { result: 42 }, echo: { text: 'a' } }

/** The question for a person that each interactive tool asks. */
const questions: Record<string, object> = {
  ask_colleague: { question: 'Refund?', summary: 'Order 5 never came.', urgency: 'normal' },
  ask_responder: { request: 'Look at the load balancer.', why: 'Errors there would clear the application.' },
  ask_author: { questions: [{ change: 'Drop v1', question: 'Who still uses it?' }] },
  ask_learner: { question: 'What is 1/2 + 1/3?' },
}

function open(content: TemplateContent, query: string) {
  const clock = new ManualClock()
  const quiet = { info() {}, warn() {}, error() {} }
  const services = runnerServices({ clock, log: quiet, tools: builtinTools(clock) })
  const server = new FakeServer(
    clock,
    contentOf(content, () => newId('agt')),
    { query, contents: [] },
  )
  return { server, run: () => runAttempt(server.lease(), services, new AbortController().signal) }
}

const toolsOf = (content: TemplateContent, kind: string) => (content.tools ?? []).filter((tool) => tool.kind === kind)
const call = (name: string, input: object) => `/call ${name} ${JSON.stringify(input)}`

test.each(agents)('$agent calls its builtin tools and completes', async ({ agent, content }) => {
  const builtins = toolsOf(content, 'builtin').map(({ name }) => name as keyof typeof inputs)
  const answer = answers[agent]?.fits
  const calls = builtins.map((name) => call(name, inputs[name]))
  const { server, run } = open(content, [...calls, `/say ${answer ? JSON.stringify(answer) : 'Done.'}`].join('\n'))
  expect(await run()).toBe('completed')
  expect(server.completions).toEqual([{ outcome: 'completed', stopReason: 'end_turn', output: answer ?? 'Done.' }])
  const made = server.stepsOf('tool').map(({ name, status, update }) => ({ name, status, output: update?.output }))
  expect(made).toEqual(builtins.map((name) => ({ name, status: 'completed', output: results[name] })))
})

const asking = agents.flatMap(({ agent, content }) =>
  toolsOf(content, 'interactive').map(({ name }) => ({ agent, content, name })),
)

test.each(asking)('$agent asks with $name, waits, and continues with the answer', async ({ content, name }) => {
  const input = questions[name]!
  const { server, run } = open(content, `${call(name, input)}\n/say Thanks.`)
  expect(await run()).toBe('awaitingToolResult')
  const [report] = server.completions
  expect(report).toMatchObject({ outcome: 'awaitingToolResult', awaiting: [{ kind: 'tool', toolName: name, input }] })
  server.continue({ query: null, contents: [] }, { call_1: 'Yes.' })
  expect(await run()).toBe('completed')
  expect(server.completions.at(-1)).toMatchObject({ outcome: 'completed', output: 'Thanks.' })
})

test.each(asking)('$agent gets an error when it calls $name without input', async ({ content, name }) => {
  const { server, run } = open(content, `${call(name, {})}\n/say Sorry.`)
  expect(await run()).toBe('completed')
  expect(server.stepsOf('tool')).toMatchObject([{ name, status: 'failed' }])
})

test.each(Object.entries(answers))('%s does not complete with output of another form', async (name, { doesNot }) => {
  const { content } = agents.find(({ agent }) => agent === name)!
  const { server, run } = open(content, `/say ${JSON.stringify(doesNot)}`)
  await run()
  expect(server.completions).toMatchObject([{ outcome: 'failed', error: { code: 'invalid_model_output' } }])
})

test('every Agent with structured output has sample output, and every interactive tool a sample question', () => {
  expect(agents.filter(({ content }) => content.outputSchema).map(({ agent }) => agent)).toEqual(Object.keys(answers))
  expect(asking.map(({ name }) => name).sort()).toEqual(Object.keys(questions).sort())
})
