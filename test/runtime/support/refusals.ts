/** Refusals of commands to actors. */
import type { ApiError } from '../../../src/platform/http/answers/errors.ts'

/** The reason of the rejected promise. */
export const refusal = async (promise: Promise<unknown>) => {
  const [result] = await Promise.allSettled([promise])
  if (result?.status === 'fulfilled') throw new Error('It was not refused.')
  return result?.reason
}

/** The error that the caller gets. */
export const answerOf = (error: unknown) => {
  const { status, code, details } = error as ApiError
  return { status, code, details }
}
