/** The published package: packed, installed into an empty project, and used by Node.js, Bun, compilers and browsers. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { bundledPrograms } from '../../support/programs.ts'
import { hasChromium, openBrowser } from '../../support/services/chromium.ts'
import { openTroupe, type Troupe } from '../../support/troupe.ts'
import { openProject, type Project, root } from './project.ts'

let project: Project
let server: Troupe
beforeAll(async () => {
  const opened = await Promise.all([openProject(), openTroupe()])
  project = opened[0]
  server = opened[1]
})
afterAll(async () => {
  await Promise.all([project?.remove(), server?.stop()])
})

/** The calls that every program of these tests makes with a client. */
const useClient = `
  const run = await troupe.runs.start({ agent: 'agt_system_assistant', query: '/call clock {}\\n/say Hello.' })
  const moves = []
  for await (const event of run) if (event.type === 'run.transition') moves.push(event.data.to)
  const { text } = await run.output()
  const error = await troupe.projects.get({ projectId: 'prj_x' }).catch((error) => error)
  const kinds = []
  for await (const { kind } of troupe.machines.list()) kinds.push(kind)
  const result = {
    moves,
    text,
    error: { name: error.name, code: error.code, isNotFound: error instanceof NotFoundError },
    hasRun: kinds.includes('run'),
  }
`
const result = {
  moves: ['queued', 'acquiring', 'starting', 'running', 'completed'],
  text: 'Hello.',
  error: { name: 'NotFoundError', code: 'not_found', isNotFound: true },
  hasRun: true,
}
const program = `import { NotFoundError, Troupe } from '@troupe/sdk'
const troupe = new Troupe()
${useClient}
console.log(JSON.stringify(result))
`

describe('the package', () => {
  test('contains what was built, and has no dependency', async () => {
    const { dependencies, peerDependencies, optionalDependencies } = await Bun.file(
      join(project.packaged, 'package.json'),
    ).json()
    expect([dependencies, peerDependencies, optionalDependencies]).toEqual([undefined, undefined, undefined])
    const unbuilt = project.files.filter(
      (file) => !/^(package\.json|README\.md|LICENSE|dist\/.*(\.js|\.d\.ts))$/.test(file),
    )
    expect(unbuilt).toEqual([])
    expect(project.files).toContain('dist/index.d.ts')
    expect(project.files).toContain('LICENSE')
    expect(project.files).toContain('dist/testing/index.js')
  })

  test('refers to no sources that it does not contain', async () => {
    for (const file of project.files) {
      const text = await Bun.file(join(project.packaged, file)).text()
      expect(text.match(/(?:from|import\()\s*['"]\.[^'"]*(?<!\.js)['"]/), file).toBeNull()
    }
  })
})

describe.each([
  ['Node.js', ['node']],
  ['Bun', [process.execPath]],
])('with %s', (_, command) => {
  test('a client follows a run', async () => {
    await project.write('client.js', program)
    const environment = { TROUPE_URL: server.url, TROUPE_KEY: server.key }
    const ran = await project.run([...command, 'client.js'], environment)
    expect(ran).toMatchObject({ code: 0 })
    expect(JSON.parse(ran.output)).toEqual(result)
  })

  test('a delivery is verified', async () => {
    const secret = `whsec_${btoa('0123456789abcdef')}`
    await project.write(
      'receiver.js',
      `import { createHmac } from 'node:crypto'
import { Troupe } from '@troupe/sdk'
const at = Math.floor(Date.now() / 1000)
const body = '{"type":"run.completed"}'
const signature = createHmac('sha256', '0123456789abcdef').update(\`evt_1.\${at}.\${body}\`).digest('base64')
const headers = { 'webhook-id': 'evt_1', 'webhook-timestamp': String(at), 'webhook-signature': 'v1,' + signature }
console.log((await Troupe.webhooks.verify(body, headers, '${secret}')).type)
await Troupe.webhooks.verify(body + ' ', headers, '${secret}').catch(({ code }) => console.log(code))
`,
    )
    const ran = await project.run([...command, 'receiver.js'])
    expect(ran).toEqual({ code: 0, output: 'run.completed\ninvalid_signature\n' })
  })

  test('a test starts a server from a checkout, and leaves nothing behind', async () => {
    await project.write(
      'journey.js',
      `import { expectJourney, say, script, startTestServer } from '@troupe/sdk/testing'
const server = await startTestServer()
const run = await server.troupe.runs.start({ agent: 'agt_system_assistant', query: script(say('Hello.')) })
await expectJourney(run).toBe('queued', 'running', 'completed')
await server.stop()
console.log('done')
`,
    )
    const { checkout } = await bundledPrograms()
    expect(await project.run([...command, 'journey.js'], { TROUPE_SERVER: checkout })).toEqual({
      code: 0,
      output: 'done\n',
    })
    const lost = await project.run([...command, 'journey.js'])
    expect(lost.code).toBe(1)
    expect(lost.output).toContain('There is no server to start: name the folder of a checkout of Troupe')
  })
})

describe('for compilers', () => {
  const typed = `import { defineAgent, interactive, NotFoundError, type RunEvent, Troupe } from '@troupe/sdk'
const troupe = new Troupe({ apiKey: null })
${useClient.replace('const moves = []', 'const moves: string[] = []').replace('const kinds = []', 'const kinds: string[] = []')}
export const textOf = (event: RunEvent): string => (event.type === 'step.delta' ? event.data.text : event.type)
export const agent = defineAgent('clerk', {
  instructions: 'Answer.',
  tools: {
    ask: interactive({
      description: 'Asks.',
      input: { type: 'object', properties: { question: { type: 'string' } }, required: ['question'] },
      answer: ({ question }) => question.toUpperCase(),
    }),
  },
})
// @ts-expect-error there is no such method
void troupe.projects.lists
// @ts-expect-error there is no such state
void troupe.runs.list({ states: ['done'] })
// @ts-expect-error a Project has a slug
void troupe.projects.create({ name: 'Shop' })
export default result
`
  /** The programs on the page about the SDK; variables that they do not define are declared. */
  async function pagePrograms(): Promise<string[]> {
    const page = await Bun.file(join(root, 'docs/sdk.md')).text()
    const guide = page.slice(0, page.indexOf('## Reference'))
    const surroundings = [
      ['Troupe', "import { Troupe } from '@troupe/sdk'"],
      ['troupe', "declare const troupe: import('@troupe/sdk').Troupe"],
      ['request', 'declare const request: Request'],
      [
        'process',
        'declare const process: { env: Record<string, string>; once(signal: string, then: () => unknown): void }',
      ],
      ['projectId', 'declare const projectId: string'],
      ['environmentId', 'declare const environmentId: string'],
      ['definitionId', 'declare const definitionId: string'],
      ['document', 'declare const document: Record<string, unknown>'],
      [
        'payments',
        'declare const payments: { charge(order: object, options: { signal: AbortSignal }): Promise<object> }',
      ],
    ] as const
    return [...guide.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, text = '']) => {
      const isThere = (name: string) => new RegExp(`(const |import \\{[^}]*)\\b${name}\\b`).test(text)
      const missing = surroundings.filter(([name]) => new RegExp(`\\b${name}\\b`).test(text) && !isThere(name))
      return `${missing.map(([, line]) => line).join('\n')}\n${text}\nexport {}\n`
    })
  }

  test.each([
    ['NodeNext', 'NodeNext', false],
    // where NodeNext finds a file, Bundler does too: declarations are checked once
    ['ESNext', 'Bundler', true],
  ])(
    'its types are complete with module %s, without types of Node.js',
    async (module, moduleResolution, skipLibCheck) => {
      const programs = await pagePrograms()
      expect(programs.length).toBeGreaterThan(4)
      await project.borrow('zod').catch(() => {})
      await project.write('typed.ts', typed)
      for (const [index, text] of programs.entries()) await project.write(`page-${index}.ts`, text)
      const pages = programs.map((_, index) => `page-${index}.ts`)
      const options = {
        module,
        moduleResolution,
        target: 'ES2022',
        lib: ['ES2022', 'DOM', 'DOM.Iterable'],
        types: [],
        strict: true,
        skipLibCheck,
        // the compiler's own libraries are not checked here
        skipDefaultLibCheck: true,
        noEmit: true,
      }
      await project.write('tsconfig.json', JSON.stringify({ compilerOptions: options, files: ['typed.ts', ...pages] }))
      const tsc = join(root, 'node_modules/typescript/bin/tsc')
      expect(await project.run(['node', tsc, '-p', '.'])).toEqual({ code: 0, output: '' })
    },
  )
})

describe('in browsers', () => {
  async function bundle(): Promise<string> {
    await project.write(
      'page.js',
      `import { NotFoundError, Troupe } from '@troupe/sdk'
globalThis.useTroupe = async (baseUrl, apiKey) => {
  const troupe = new Troupe({ baseUrl, apiKey })
  ${useClient}
  return result
}
`,
    )
    const built = await Bun.build({
      entrypoints: [join(project.folder, 'page.js')],
      target: 'browser',
      format: 'iife',
      minify: true,
    })
    expect(built.success).toBe(true)
    expect(built.outputs).toHaveLength(1)
    return built.outputs[0]!.text()
  }

  test('it is one bundle, without modules of Node.js', async () => {
    const text = await bundle()
    expect(text).not.toMatch(/node:|\brequire\(|\bBuffer\b/)
    // a program that starts runs does not load the testing kit
    expect(text).not.toContain('startTestServer')
  })

  test.skipIf(!hasChromium)('a page follows a run', async () => {
    const browser = await openBrowser()
    try {
      const page = await browser.newPage()
      // the console's page, which may call its server
      await page.goto(server.url)
      await page.evaluate(await bundle())
      const used = await page.evaluate(`useTroupe(${JSON.stringify(server.url)}, ${JSON.stringify(server.key)})`)
      expect(used).toEqual(result)
    } finally {
      await browser.close()
    }
  })
})
