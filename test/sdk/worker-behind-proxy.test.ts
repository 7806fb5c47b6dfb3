/** A worker of the SDK whose proxy answers in place of the server. */
import { expect, test } from 'bun:test'
import { type Fetch, Troupe } from '@troupe/sdk'

const page = () => new Response('<h1>404</h1>', { status: 404, headers: { 'content-type': 'text/html' } })
const noCall = () => new Response(null, { status: 204 })

/** A worker whose requests for calls get these answers, and wait after the last one. */
function workerOf(answers: (() => Response)[]) {
  const waits = Promise.withResolvers<void>()
  const server = async (_: string, { body, signal }: { body: string; signal: AbortSignal }): Promise<Response> => {
    if (JSON.parse(body).leaving) return noCall()
    const answer = answers.shift()
    if (answer) return answer()
    waits.resolve()
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
    throw signal.reason
  }
  const troupe = new Troupe({ baseUrl: 'http://troupe.test', apiKey: 'trp_x', fetch: server as unknown as Fetch })
  const operations = { 'shop.look': () => 1 }
  const errors: unknown[] = []
  const worker = troupe.worker({
    projectId: 'prj_1',
    environmentId: 'env_1',
    queue: 'billing',
    operations,
    onError: (error) => void errors.push(error),
  })
  return { worker, errors, waiting: waits.promise }
}

test('goes on after a page of the proxy, as while the server is replaced', async () => {
  const { worker, errors, waiting } = workerOf([noCall, page, noCall])
  await Promise.race([waiting, worker.done])
  expect(errors).toMatchObject([{ status: 404, code: 'unexpected_answer' }])
  await worker.stop()
})

test('ends if no Troupe server has ever answered at its address', async () => {
  await expect(workerOf([page]).worker.done).rejects.toMatchObject({ status: 404, code: 'unexpected_answer' })
})
