import { expect } from 'bun:test'
import OpenAI from 'openai'

/** The error of OpenAI's client with which a call fails. */
export const failure = async (asked: Promise<unknown>): Promise<InstanceType<typeof OpenAI.APIError>> => {
  const error = await asked.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(OpenAI.APIError)
  return error as InstanceType<typeof OpenAI.APIError>
}
