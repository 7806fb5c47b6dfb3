/** What commands to actors are refused with. */
import type { ApiError } from '../../../src/platform/http/answers/errors.ts'

/** What a promise was refused with. */
export const refusal = async (promise: Promise<unknown>) => {
  const [result] = await Promise.allSettled([promise])
  if (result?.status === 'fulfilled') throw new Error('It was not refused.')
  return result?.reason
}

/** What the caller is told of it. */
export const told = (error: unknown) => {
  const { status, code, details } = error as ApiError
  return { status, code, details }
}
