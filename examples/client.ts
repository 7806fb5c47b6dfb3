/**
 * A client of the API, typed by the server's own document: `npx openapi-typescript http://localhost:3000/docs/json -o
 * examples/api.ts` writes the types, for your editor; the programs run without them.
 */
import createClient from 'openapi-fetch'
import type { paths } from './api.ts'
import { baseUrl, key, words } from './settings.ts'

words(0)

export { baseUrl }
export const headers = { authorization: `Bearer ${key}` }
export const troupe = createClient<paths>({ baseUrl, headers })

/** The data of an answer, or the server's own words for why there is none. */
export async function dataOf<Data>(
  answer: Promise<{ data?: { data: Data }; error?: { error: { code: string; message: string } } }>,
): Promise<Data> {
  const { data, error } = await answer
  if (!data) throw new Error(`${error?.error.code}: ${error?.error.message}`)
  return data.data
}

/** Asks until the answer is as wanted. */
export async function until<Answer>(ask: () => Promise<Answer>, isSo: (answer: Answer) => boolean): Promise<Answer> {
  for (;;) {
    const answer = await ask()
    if (isSo(answer)) return answer
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
