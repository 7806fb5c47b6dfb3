/** Headers precede the stream of an answer, so a header that names the run requires the run to exist first. */

/** The same answer, delayed until the run has begun, or until there is output without a run. */
export async function onceBegun(answer: Response, begun: Promise<void>): Promise<Response> {
  if (!answer.body || !answer.headers.get('content-type')?.startsWith('text/event-stream')) return answer
  const reader = answer.body.getReader()
  const first = reader.read()
  await Promise.race([begun, first]).catch(() => {})
  let next = (): ReturnType<typeof reader.read> => {
    next = () => reader.read()
    return first
  }
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: (reason) => reader.cancel(reason),
  })
  return new Response(body, { status: answer.status, headers: answer.headers })
}
