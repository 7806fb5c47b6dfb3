/** A DNS server on loopback whose answers change with each query. */
import { afterAll } from 'bun:test'
import { createSocket } from 'node:dgram'
import { Resolver } from 'node:dns/promises'
import type { Lookup } from '../../../src/platform/outbound/resolve.ts'

const refusesName = 0x8183
const answers = 0x8180

/**
 * Answers the n-th query for IPv4 addresses with the n-th list, and then always with the last one; null is no answer.
 */
export async function startNameServer(...lists: (string[] | null)[]) {
  const server = createSocket('udp4')
  const asked: string[] = []
  server.on('message', (message, from) => {
    const end = message.indexOf(0, 12) + 5
    const question = message.subarray(12, end)
    asked.push(nameOf(question))
    const list = lists[Math.min(asked.length, lists.length) - 1]!
    if (list) server.send(reply(message.readUInt16BE(0), question, list), from.port, from.address)
  })
  await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve))
  const resolver = new Resolver({ timeout: 60_000, tries: 1 })
  resolver.setServers([`127.0.0.1:${server.address().port}`])
  afterAll(() => {
    resolver.cancel()
    server.close()
  })
  const lookup: Lookup = async (hostname) => (await resolver.resolve4(hostname)).map((address) => ({ address }))
  return { asked, lookup }
}

function reply(id: number, question: Buffer, addresses: string[]): Buffer {
  const header = Buffer.alloc(12)
  header.writeUInt16BE(id, 0)
  header.writeUInt16BE(addresses.length > 0 ? answers : refusesName, 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(addresses.length, 6)
  const records = addresses.map((address) =>
    Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)]),
  )
  return Buffer.concat([header, question, ...records])
}

function nameOf(question: Buffer): string {
  const labels: string[] = []
  for (let at = 0; question[at]! > 0; at += question[at]! + 1) {
    labels.push(question.toString('latin1', at + 1, at + 1 + question[at]!))
  }
  return labels.join('.')
}
