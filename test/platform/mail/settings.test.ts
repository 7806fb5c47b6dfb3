/** The mail settings, and the addresses that mail is sent to. */
import { describe, expect, test } from 'bun:test'
import { readConfig } from '../../../src/config.ts'
import { defaultSender, isMailable, senderIn } from '../../../src/platform/mail/address.ts'
import { mailServerIn } from '../../../src/platform/mail/smtp-url.ts'

/** A mail server of this host may have any certificate. */
const unverified = { tls: { rejectUnauthorized: false as const } }

describe('TROUPE_SMTP_URL', () => {
  test.each([
    ['smtp://mail.example.com', { host: 'mail.example.com', port: 587, secure: false, requireTLS: false }],
    ['smtps://mail.example.com', { host: 'mail.example.com', port: 465, secure: true, requireTLS: false }],
    ['smtp://127.0.0.1:2525', { host: '127.0.0.1', port: 2525, secure: false, requireTLS: false, ...unverified }],
    ['smtp://[::1]:25', { host: '::1', port: 25, secure: false, requireTLS: false, ...unverified }],
    [
      'smtp://ada%40example.com:p%3Ass@mail.example.com:587',
      // no password is sent unencrypted
      {
        host: 'mail.example.com',
        port: 587,
        secure: false,
        requireTLS: true,
        auth: { user: 'ada@example.com', pass: 'p:ss' },
      },
    ],
    [
      'smtp://ada:pass@localhost:25',
      {
        host: 'localhost',
        port: 25,
        secure: false,
        requireTLS: false,
        auth: { user: 'ada', pass: 'pass' },
        ...unverified,
      },
    ],
  ])('%s', (text, server) => {
    expect(mailServerIn(text)).toEqual(server)
  })

  test.each(['mail.example.com', 'http://mail.example.com', 'smtp://:25', 'smtp://a:%zz@host', 'smtp://host?secure=1'])(
    '%s stops the start, without being repeated',
    (text) => {
      const read = () => readConfig({ TROUPE_SMTP_URL: text })
      expect(read).toThrow(/^TROUPE_SMTP_URL: must be smtp:\/\/ or smtps:\/\//)
      expect(read).not.toThrow(text)
    },
  )
})

describe('TROUPE_MAIL_FROM', () => {
  test.each([
    ['troupe@example.com', { name: '', address: 'troupe@example.com' }],
    ['Troupe of Example <troupe@example.com>', { name: 'Troupe of Example', address: 'troupe@example.com' }],
    ['Émile, of Example <troupe@example.com>', { name: 'Émile, of Example', address: 'troupe@example.com' }],
  ])('%s', (text, sender) => {
    expect(readConfig({ TROUPE_MAIL_FROM: text }).config.mailFrom).toBe(text)
    expect(senderIn(text)).toEqual(sender)
  })

  test.each(['Troupe', 'a@b, c@d', 'Troupe <a@b> <c@d>', 'Troupe\r\nBcc: x@y <a@b>', '"Troupe" <a@b>', '<a@b>'])(
    '%s stops the start',
    (text) => {
      expect(() => readConfig({ TROUPE_MAIL_FROM: text })).toThrow(/^TROUPE_MAIL_FROM: must be an email address/)
    },
  )

  test.each([
    ['https://console.example.com', 'no-reply@console.example.com'],
    ['http://localhost:3000', 'no-reply@localhost'],
    ['http://10.0.0.1:3000', 'no-reply@localhost'],
    ['http://[fd00::1]:3000', 'no-reply@localhost'],
  ])('the default sender at %s is %s', (consoleUrl, address) => {
    expect(defaultSender(consoleUrl)).toEqual({ name: 'Troupe', address })
  })
})

test.each([
  ['ada@example.com', true],
  ["o'hara+troupe@example.com", true],
  ['ådå@exämple.com', true],
  ['x@localhost', true],
  ['ada', false],
  ['ada@', false],
  ['@example.com', false],
  ['ada@example.com,eve@example.com', false],
  ['ada@example.com eve@example.com', false],
  ['"ada eve@example.com"@example.com', false],
  ['<ada@example.com>', false],
  ['ada@example.com\r\nRCPT TO:<eve@example.com>', false],
  ['ada\u202e@example.com', false],
  [`${'x'.repeat(65)}@example.com`, false],
  [`x@${'x'.repeat(254)}`, false],
])('mail can be sent to %j: %p', (address, is) => {
  expect(isMailable(address)).toBe(is)
})
