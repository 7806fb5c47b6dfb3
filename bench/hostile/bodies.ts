/** Bodies that are large, have many parts, or never end. */
import { requestBytes } from '../http-client.ts'
import type { Server } from '../server.ts'
import { assistant, runsPath } from '../troupe.ts'
import type { Attack } from './attack.ts'

const encoder = new TextEncoder()

/** A request with this body; its length is declared as `announced` bytes. */
function rawRequest({ key }: Server, contentType: string, body: string, announced?: number): Uint8Array {
  const bytes = encoder.encode(body)
  const head = [
    `POST ${runsPath} HTTP/1.1`,
    'host: 127.0.0.1',
    `authorization: Bearer ${key}`,
    `content-type: ${contentType}`,
    `content-length: ${announced ?? bytes.length}`,
  ]
  return Buffer.concat([encoder.encode(`${head.join('\r\n')}\r\n\r\n`), bytes])
}

const part = (name: string, value: string, file = '') =>
  `--part\r\ncontent-disposition: form-data; name="${name}"${file}\r\n\r\n${value}\r\n`

const form = (server: Server, parts: string) => [
  rawRequest(server, 'multipart/form-data; boundary=part', `${parts}--part--\r\n`),
]

const json = (server: Server, body: unknown) => [requestBytes('POST', runsPath, { key: server.key, body })]

export const bodyAttacks: Attack[] = [
  {
    what: 'a form of 100,000 fields',
    prepare: async (server) => form(server, part('agentId', assistant) + part('f', 'x').repeat(100_000)),
  },
  {
    what: 'a form of 100,000 files',
    prepare: async (server) =>
      form(server, part('agentId', assistant) + part('files', 'x', '; filename="a.txt"').repeat(100_000)),
  },
  {
    what: 'JSON of 15 MiB with a million fields',
    prepare: async (server) => {
      const fields = Array.from({ length: 1_000_000 }, (_, index) => `"f${index}":1`).join(',')
      return [rawRequest(server, 'application/json', `{"agentId":"${assistant}","query":"Hello","x":{${fields}}}`)]
    },
  },
  {
    what: 'two attachments of 5 MB',
    prepare: async (server) =>
      json(server, {
        agentId: assistant,
        // a model does not repeat its input
        query: '/say Thanks.',
        contents: [
          {
            type: 'file',
            mediaType: 'text/plain',
            filename: 'a.txt',
            data: Buffer.alloc(5_000_000, 65).toString('base64'),
          },
          {
            type: 'file',
            mediaType: 'text/plain',
            filename: 'b.txt',
            data: Buffer.alloc(5_000_000, 66).toString('base64'),
          },
        ],
      }),
  },
  {
    what: 'JSON of 15 MiB of escaped quotes',
    prepare: async (server) => [
      rawRequest(server, 'application/json', `{"agentId":"${assistant}","query":"${'\\"'.repeat(7_800_000)}"}`),
    ],
  },
  {
    what: 'large bodies, 40 at once',
    clients: 40,
    prepare: async (server) => [
      rawRequest(server, 'application/json', `{"agentId":"nobody","query":"${'x'.repeat(15_000_000)}"}`),
    ],
  },
  {
    what: 'JSON of 1 MiB of brackets',
    prepare: async (server) => [rawRequest(server, 'application/json', '['.repeat(1_000_000))],
  },
  {
    what: 'bodies that never end',
    clients: 500,
    unfinished: true,
    prepare: async (server) => [rawRequest(server, 'application/json', '{"agentId":', 1_000)],
  },
]
