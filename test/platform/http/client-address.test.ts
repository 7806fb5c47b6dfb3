import { expect, test } from 'bun:test'
import { clientAddress, networkOf } from '../../../src/platform/http/guard/client-address.ts'

const peer = '10.0.0.1'
const rows: { forwarded: string | null; proxies: number; expected: string }[] = [
  { forwarded: null, proxies: 0, expected: peer },
  { forwarded: '192.0.2.1', proxies: 0, expected: peer },
  { forwarded: null, proxies: 1, expected: peer },
  { forwarded: '', proxies: 1, expected: peer },
  { forwarded: '192.0.2.1', proxies: 1, expected: '192.0.2.1' },
  // the client's own values are on the left
  { forwarded: '127.0.0.1, 192.0.2.1', proxies: 1, expected: '192.0.2.1' },
  { forwarded: '1.1.1.1,2.2.2.2 , 192.0.2.1 ', proxies: 1, expected: '192.0.2.1' },
  { forwarded: '127.0.0.1, 192.0.2.1, 10.0.0.2', proxies: 2, expected: '192.0.2.1' },
  { forwarded: '192.0.2.1, 10.0.0.3, 10.0.0.2', proxies: 3, expected: '192.0.2.1' },
  // fewer proxies than configured
  { forwarded: '192.0.2.1', proxies: 2, expected: peer },
  { forwarded: '192.0.2.1, unknown', proxies: 1, expected: peer },
  { forwarded: '192.0.2.1, 300.1.1.1', proxies: 1, expected: peer },
  { forwarded: '192.0.2.1,', proxies: 1, expected: peer },
  { forwarded: 'secret.example.com', proxies: 1, expected: peer },
  { forwarded: '192.0.2.1:5678', proxies: 1, expected: '192.0.2.1' },
  { forwarded: '2001:DB8::1', proxies: 1, expected: '2001:db8::1' },
  { forwarded: '[2001:db8::1]', proxies: 1, expected: '2001:db8::1' },
  { forwarded: '[2001:db8::1]:5678', proxies: 1, expected: '2001:db8::1' },
  { forwarded: '::ffff:192.0.2.1', proxies: 1, expected: '192.0.2.1' },
]
test.each(rows)('$forwarded behind $proxies proxies: $expected', ({ forwarded, proxies, expected }) => {
  expect(clientAddress(forwarded, peer, proxies)).toBe(expected)
})

test.each([
  { own: '::ffff:10.0.0.1', expected: '10.0.0.1' },
  { own: '::1', expected: '::1' },
  { own: undefined, expected: undefined },
])('the peer $own is $expected', ({ own, expected }) => {
  expect(clientAddress(null, own, 0)).toBe(expected as string)
})

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
  ['2001:0db8:0001:0002::9', '2001:db8:1:2::/64'],
  ['2001:db8:1:3::9', '2001:db8:1:3::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
  ['1:2:3::4.5.6.7', '1:2:3:0::/64'],
  ['unknown', 'unknown'],
  ['', ''],
])('%s counts as %s', (address, network) => {
  expect(networkOf(address)).toBe(network)
})
