import { expect, test } from 'bun:test'
import { ApiError } from '../../../src/platform/http/answers/errors.ts'
import { requireHostAllowed, requireUrlAllowed } from '../../../src/platform/outbound/setting.ts'
import { AddressRefused, assertHostAllowed, assertUrlAllowed } from '../../../src/platform/outbound/url.ts'
import { closed, open } from './receivers.ts'

const production = { allowPrivateAddresses: true, production: true }

test.each([
  ['https://example.com', 'https://example.com/'],
  ['https://example.com:443/hooks?a=1&b', 'https://example.com/hooks?a=1&b'],
  ['https://EXAMPLE.com:8443/', 'https://example.com:8443/'],
  ['https://a-b.c_d.example.co.uk/', 'https://a-b.c_d.example.co.uk/'],
  ['https://例え.jp/ł', 'https://xn--r8jz45g.jp/%C5%82'],
  ['https://8.8.8.8/', 'https://8.8.8.8/'],
  ['https://[2001:4860:4860::8888]/', 'https://[2001:4860:4860::8888]/'],
  ['https://[::ffff:8.8.8.8]/', 'https://[::ffff:808:808]/'],
  ['https://localhost.example.com/', 'https://localhost.example.com/'],
  ['https://internal.example.com/', 'https://internal.example.com/'],
])('%s is allowed', (url, parsed) => expect(assertUrlAllowed(url, closed).href).toBe(parsed))

const setting = 'TROUPE_ALLOW_PRIVATE_ADDRESSES=true.'
const unlessSet = ` The operator allows private addresses, plain http and any port with ${setting}`
const address = 'The address is not public.'
const closedAddress = address + unlessSet
const inner = `The host name belongs to a private network.${unlessSet}`
const notUrl = 'The URL is not valid.'
const scheme = 'The URL must begin with https://.'
const port = `The port must be 443 or 8443.${unlessSet}`
const unexpected = 'The URL has spaces, control characters or backslashes.'

test.each([
  // schemes
  ['http://example.com/', scheme + unlessSet],
  ['ftp://example.com/', scheme],
  ['file:///etc/passwd', scheme],
  ['javascript:alert(1)', scheme],
  ['data:text/plain,hi', scheme],
  ['blob:https://example.com/x', scheme],
  ['ws://example.com/', scheme],
  ['gopher://example.com/', scheme],
  ['unix:/var/run/docker.sock', scheme],
  // not URLs
  ['', notUrl],
  ['example.com', notUrl],
  ['//example.com/', notUrl],
  ['https://', notUrl],
  ['https://exa%00mple.com/', notUrl],
  ['https://256.1.1.1/', notUrl],
  ['https://1.2.3.4.5/', notUrl],
  ['https://[::1%25lo]/', notUrl],
  ['https://[fe80::1%lo]/', notUrl],
  ['https://[1.2.3.4]/', notUrl],
  ['https://example.com:65536/', notUrl],
  [`https://example.com/${'a'.repeat(2048)}`, 'The URL has more than 2048 characters.'],
  // characters that the parser would drop or change
  [' https://example.com/', unexpected],
  ['https://example.com/a b', unexpected],
  ['https://exa\nmple.com/', unexpected],
  ['https://exa\tmple.com/', unexpected],
  ['https://example.com/\r\nHost: x', unexpected],
  ['https:\\\\example.com/', unexpected],
  ['https://example.com\\@127.0.0.1/', unexpected],
  // parts that are not allowed
  ['https://user@example.com/', 'The URL must not contain a user name or a password.'],
  ['https://user:pw@example.com/', 'The URL must not contain a user name or a password.'],
  ['https://:pw@example.com/', 'The URL must not contain a user name or a password.'],
  ['https://example.com%2f@127.0.0.1/', 'The URL must not contain a user name or a password.'],
  ['https://example.com/#', 'The URL must not have a fragment.'],
  ['https://example.com/#a', 'The URL must not have a fragment.'],
  // ports
  ['https://example.com:0/', 'Port 0 is not valid.'],
  ['https://example.com:22/', port],
  ['https://example.com:25/', port],
  ['https://example.com:80/', port],
  ['https://example.com:6379/', port],
  // names
  ['https://localhost/', inner],
  ['https://LOCALHOST/', inner],
  ['https://localhost./', inner],
  ['https://loc%61lhost/', inner],
  ['https://ⓛocalhost/', inner],
  ['https://foo.localhost/', inner],
  ['https://printer.local/', inner],
  ['https://db.internal/', inner],
  ['https://kubernetes.default.svc.cluster.local/', inner],
  ['https://box.localdomain/', inner],
  ['https://nas.home.arpa/', inner],
  ['https://metadata.google.internal/', 'The host is a cloud metadata service.'],
  ['https://metadata.google.internal./', 'The host is a cloud metadata service.'],
  ['https://db/', `The host name needs a domain.${unlessSet}`],
  ['https://example.com./', 'The host name must not end with a dot.'],
  ['https://a..example.com/', 'The host name is not valid.'],
  ['https://.example.com/', 'The host name is not valid.'],
  ['https://*.example.com/', 'The host name is not valid.'],
  [`https://${'a'.repeat(64)}.com/`, 'The host name is not valid.'],
  [`https://${'a.'.repeat(130)}com/`, 'The host name is not valid.'],
  // addresses, in all spellings
  ['https://127.0.0.1/', closedAddress],
  ['https://127.0.0.1./', closedAddress],
  ['https://127.1/', closedAddress],
  ['https://2130706433/', closedAddress],
  ['https://017700000001/', closedAddress],
  ['https://0x7f.1/', closedAddress],
  ['https://0x7f000001/', closedAddress],
  ['https://0177.0.0.1/', closedAddress],
  ['https://%31%32%37.0.0.1/', closedAddress],
  ['https://①②⑦.0.0.1/', closedAddress],
  ['https://127。0。0。1/', closedAddress],
  ['https://0/', address],
  ['https://0.0.0.0/', address],
  ['https://10.0.0.1/', closedAddress],
  ['https://100.64.0.1/', closedAddress],
  ['https://169.254.169.254/', address],
  ['https://2852039166/', address],
  ['https://224.0.0.1/', address],
  ['https://[::]/', address],
  ['https://[::1]/', closedAddress],
  ['https://[::7f00:1]/', address],
  ['https://[::ffff:127.0.0.1]/', closedAddress],
  ['https://[::ffff:169.254.169.254]/', address],
  ['https://[64:ff9b::a9fe:a9fe]/', address],
  ['https://[2002:7f00:1::]/', address],
  ['https://[4000::1]/', address],
  ['https://[fe80::1]/', address],
  ['https://[fd00:ec2::254]/', address],
])('%j is refused: %s', (url, reason) =>
  expect(() => assertUrlAllowed(url, closed)).toThrow(new AddressRefused(reason)),
)

test.each([
  'http://localhost:3000/hook',
  'http://127.0.0.1:22/',
  'http://db:8080/',
  'https://host.docker.internal/',
  'http://[::1]:8080/',
  'http://example.com/',
])('%s is allowed in development', (url) => expect(assertUrlAllowed(url, open).href).toBe(url))

test.each([
  ['http://169.254.169.254/latest/meta-data/', address],
  ['http://[fd00:ec2::254]/', address],
  ['http://0.0.0.0:3000/', address],
  ['http://metadata.google.internal/', 'The host is a cloud metadata service.'],
  ['http://zone.metadata.google.internal/', 'The host is a cloud metadata service.'],
  ['http://metadata.goog/', 'The host is a cloud metadata service.'],
  ['http://zone.metadata.goog/', 'The host is a cloud metadata service.'],
  ['http://localhost:0/', 'Port 0 is not valid.'],
  ['http://user@localhost/', 'The URL must not contain a user name or a password.'],
  ['http://localhost/#', 'The URL must not have a fragment.'],
  ['ftp://localhost/', 'The URL must begin with https:// or http://.'],
])('%s is refused in development too', (url, reason) =>
  expect(() => assertUrlAllowed(url, open)).toThrow(new AddressRefused(reason)),
)

test('in production plain http is only for private addresses, even if these are allowed', () => {
  expect(assertUrlAllowed('http://10.0.0.1/', production).href).toBe('http://10.0.0.1/')
  expect(() => assertUrlAllowed('http://8.8.8.8/', production)).toThrow('Public addresses require https.')
})

const database = { schemes: ['postgres', 'amqps'], plainSchemes: ['amqp'], ports: 'any' as const }

test.each([
  ['postgres://db.example.com:5432/x', true],
  ['amqps://mq.example.com/', true],
  ['amqp://mq.example.com/', false],
  ['https://example.com/', false],
  ['postgres://127.0.0.1:5432/', false],
  ['postgres://2130706433:5432/', false],
  ['postgres://0x7f.1/', false],
  ['postgres://LOCALHOST/', false],
  ['postgres://[::ffff:7f00:1]/', false],
  ['postgres:///x', false],
])('other schemes have separate rules and the same hosts: %s allowed is %p', (url, allowed) => {
  const judge = () => assertUrlAllowed(url, closed, database)
  if (allowed) expect(judge().href).toBe(url)
  else expect(judge).toThrow(AddressRefused)
})

test.each([
  ['Example.COM', 'example.com'],
  ['8.8.8.8', '8.8.8.8'],
  ['2001:4860:4860::8888', '2001:4860:4860::8888'],
  ['[2001:4860:4860::8888]', '2001:4860:4860::8888'],
])('the host %s is normalized to %s', (host, name) => expect(assertHostAllowed(host, closed)).toBe(name))

test.each([
  ...[
    '',
    ' ',
    'a b.com',
    'example.com:443',
    'example.com:',
    'example.com/x',
    'user@example.com',
    'example.com#',
    'example.com?',
  ],
  ...[
    '[::1]',
    '::1',
    '::1%lo',
    '[::ffff:10.0.0.1]',
    '127.1',
    'localhost',
    'db',
    'example.com.',
    'https://example.com',
    '\\\\x.com',
  ],
])('the host %j is refused', (host) => expect(() => assertHostAllowed(host, closed)).toThrow(AddressRefused))

test('a refused setting is 422 url_not_allowed with its path and the reason', () => {
  for (const judge of [
    () => requireUrlAllowed('/body/settings/baseUrl', 'https://127.0.0.1/', closed),
    () => requireHostAllowed('/body/settings/baseUrl', '127.0.0.1', closed),
  ]) {
    expect(judge).toThrow(ApiError)
    try {
      judge()
    } catch (error) {
      const { status, code, details } = error as ApiError
      expect({ status, code, details }).toEqual({
        status: 422,
        code: 'url_not_allowed',
        details: { issues: [{ path: '/body/settings/baseUrl', message: closedAddress }] },
      })
    }
  }
})
