/** The chat page of `examples/chat` in a browser. Source: contract 12. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { describeInBrowser, type OpenBrowser, openBrowser } from '../support/services/chromium.ts'
import { openWorld, type World } from './world.ts'

const program = join(import.meta.dir, '../../examples/chat/server.ts')

describeInBrowser('the chat page', () => {
  let world: World
  let browser: OpenBrowser
  let page: Awaited<ReturnType<OpenBrowser['newPage']>>
  let server: ReturnType<typeof serve>
  const serve = () =>
    Bun.spawn([process.execPath, program, world.address], {
      stdout: 'pipe',
      stderr: 'inherit',
      env: { ...process.env, TROUPE_URL: world.url, TROUPE_KEY: world.key },
    })
  beforeAll(async () => {
    world = await openWorld()
    browser = await openBrowser()
    server = serve()
    const { value } = await server.stdout.pipeThrough(new TextDecoderStream()).getReader().read()
    page = await browser.newPage()
    await page.goto((value as string).trim())
  })
  afterAll(async () => {
    server?.kill('SIGKILL')
    await server?.exited
    await browser?.close()
    await world?.stop()
  })
  const say = async (text: string) => {
    await page.getByLabel('Message').fill(text)
    await page.getByRole('button', { name: 'Send' }).last().click()
  }
  const reads = (text: string) => page.getByText(text, { exact: true }).waitFor()

  test("shows answers, asks the Agent's questions, and offers decisions", async () => {
    await say('/say Hello there')
    await reads('Hello there')
    await say('/call ask {"question":"Which size?"}\n/say Thanks')
    const asked = page.getByLabel('ask {"question":"Which size?"}')
    await asked.fill('42')
    await page.getByRole('button', { name: 'Send' }).first().click()
    await reads('Thanks')
    await say('/call refund {}\n/say Refunded')
    await page.getByRole('button', { name: 'Approve' }).click()
    await reads('Refunded')
    expect(await page.getByRole('alert').count()).toBe(0)
  })

  test('continues an answer after a reload, in progress or not', async () => {
    await say('/say Wait\n/sleep 1500\n/say for it')
    await page.getByText(/^Wait/).first().waitFor()
    await page.reload()
    await reads('Wait for it')
    await reads('Refunded')
  })
})
