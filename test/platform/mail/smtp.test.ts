/** Connections to a mail server: how long they are held, and which certificates are accepted. */
import { afterEach, expect, test } from 'bun:test'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { Smtp } from '../../../src/platform/mail/smtp.ts'
import { Secret } from '../../../src/platform/operating/secret.ts'

const servers: Pick<Server, 'close'>[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

const mail = { to: 'ada@example.com', subject: 'Hello', text: 'Hello', html: '<p>Hello' }

async function portOf(server: Server): Promise<number> {
  servers.push(server)
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return (server.address() as AddressInfo).port
}

const smtpTo = (url: string, sendMs?: number) =>
  new Smtp({
    url: new Secret(url),
    from: () => ({ name: '', address: 'troupe@example.com' }),
    ...(sendMs && { sendMs }),
  })

test('the connection to a server that sends a byte from time to time is closed when the time of the mail is over', async () => {
  const closed = Promise.withResolvers<void>()
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.write('220 hello\r\n')
    // an answer to EHLO that never ends
    let drips: Timer
    socket.once('data', () => {
      socket.write('250-')
      drips = setInterval(() => socket.write('x'), 20)
    })
    socket.on('close', () => {
      clearInterval(drips)
      closed.resolve()
    })
  })
  const smtp = smtpTo(`smtp://127.0.0.1:${await portOf(server)}`, 300)
  await expect(smtp.send(mail, 'mail_1')).rejects.toThrow('The mail server did not answer in time.')
  await closed.promise
})

test.each([
  ['after STARTTLS', 'smtp', false],
  ['from the beginning', 'smtps', true],
])('a mail server of this host may have a certificate that it signed itself, %s', async (_, scheme, secure) => {
  const arrived: boolean[] = []
  // without a certificate of its own it has one of the library, for another name
  const server = new SMTPServer({
    secure,
    disabledCommands: ['AUTH'],
    onData: (stream, session, done) => {
      arrived.push(session.secure)
      stream.resume().on('end', () => done())
    },
  })
  await smtpTo(`${scheme}://localhost:${await portOf(server.server)}`).send(mail, 'mail_1')
  expect(arrived).toEqual([true])
})
