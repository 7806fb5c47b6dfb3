/** The official client of A2A. */
import { expect } from 'bun:test'
import { Message, type Task, TaskState } from '@a2a-js/sdk'
import { type Client, ClientFactory, DefaultAgentCardResolver, JsonRpcTransportFactory } from '@a2a-js/sdk/client'
import type { World } from './world.ts'

const withKey = (key: string) =>
  ((input: Request | string | URL, init?: RequestInit) => {
    const headers = new Headers(init?.headers)
    headers.set('authorization', `Bearer ${key}`)
    return fetch(input, { ...init, headers })
  }) as typeof fetch
/** The client of an Agent. */
export function connect(world: Pick<World, 'url' | 'key'>, address: string, key = world.key): Promise<Client> {
  const fetchImpl = withKey(key)
  const factory = new ClientFactory({
    transports: [new JsonRpcTransportFactory({ fetchImpl })],
    cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
  })
  return factory.createFromUrl(world.url, `/a2a/${address}/.well-known/agent-card.json`)
}

type Given = string | { data: unknown }
export const request = (given: Given, about: { contextId?: string; taskId?: string } = {}, configuration?: object) => ({
  message: Message.fromJSON({
    messageId: crypto.randomUUID(),
    role: 'ROLE_USER',
    parts: [typeof given === 'string' ? { text: given } : given],
    ...about,
  }),
  configuration: configuration as never,
  tenant: '',
  metadata: undefined,
})
/** Sends a message, and returns the task. */
export const send = async (by: Client, ...asked: Parameters<typeof request>): Promise<Task> =>
  (await by.sendMessage(request(...asked))) as Task
export const task = (by: Client, id: string) => by.getTask({ tenant: '', id })
export const stateOf = ({ status }: Task) => TaskState[status?.state ?? 0]?.slice('TASK_STATE_'.length)
/** The error of a request that has to fail. */
export const failure = async (asked: Promise<unknown>) => {
  const error = await asked.then(
    () => undefined,
    (thrown: Error) => thrown,
  )
  expect(error).toBeInstanceOf(Error)
  return error as Error
}
