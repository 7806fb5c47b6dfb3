/**
 * Starts a run, follows it to the end, and prints what happens.
 *
 *     TROUPE_KEY=trp_… npx bun examples/first-run.ts "What is 6 times 7?"
 */
import { troupe, words } from './settings.ts'

const [query = '/call calculator {"expression": "6*7"}\n/say Six times seven is forty-two.'] = words(1)
const run = await troupe.runs.start({ agent: 'agt_system_assistant', query })
console.log(run.id)
for await (const { type, data } of run) {
  if (type === 'run.transition') console.log(`  ${data.from ?? '·'} → ${data.to}`)
  else if (type === 'step.started') console.log(`    ${data.kind} ${data.name}`)
  else if (type === 'step.completed' && data.kind === 'tool') console.log(`      ${JSON.stringify(data.output)}`)
  else if (type === 'step.delta' && data.kind === 'text') console.log(`      ${data.text}`)
}
console.log((await run.output()).text)
