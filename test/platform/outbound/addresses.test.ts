import { expect, test } from 'bun:test'
import { isAllowedAddress, isPublicAddress, isSameAddress } from '../../../src/platform/outbound/addresses.ts'
import { closed, open } from './receivers.ts'

/** The first and last addresses of every block that is forbidden to tenants. Source: trust 3.2, point 4. */
const special = `
  0.0.0.0 0.255.255.255 10.0.0.0 10.255.255.255 100.64.0.0 100.127.255.255 127.0.0.0 127.0.0.1 127.255.255.255
  169.254.0.0 169.254.169.254 169.254.170.2 169.254.255.255 172.16.0.0 172.31.255.255 192.0.0.0 192.0.0.192 192.0.0.255
  192.0.2.0 192.0.2.255 192.31.196.0 192.31.196.255 192.52.193.0 192.52.193.255 192.88.99.0 192.88.99.255
  192.168.0.0 192.168.255.255 192.175.48.0 192.175.48.255 198.18.0.0 198.19.255.255 198.51.100.0 198.51.100.255
  203.0.113.0 203.0.113.255 224.0.0.0 239.255.255.255 240.0.0.0 255.255.255.254 255.255.255.255
  100.100.100.200 168.63.129.16
  :: ::1 ::7f00:1 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:169.254.169.254 ::ffff:10.0.0.1 ::ffff:0:127.0.0.1
  64:ff9b::7f00:1 64:ff9b::a9fe:a9fe 64:ff9b::8.8.8.8 64:ff9b:1::7f00:1 100:: 100:0:0:1::1
  2001:: 2001:0:7f00:1:: 2001:10::1 2001:20::1 2001:2::1 2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff 2001:db8:: 2001:db8:ffff::1
  2002:: 2002:7f00:1:: 2002:a00:1::1 2002:808:808::1 2002:ffff::1 2620:4f:8000:: 2620:4f:8000:ffff::1
  3fff:: 3fff:fff::1 4000::1 5f00::1 e000::1 1fff::1
  fc00:: fdff::1 fd00:ec2::254 fd20:ce::254 fe80:: fe80::1 febf::1 fec0::1 ff00:: ff02::1 ffff::1
`
  .trim()
  .split(/\s+/)

const everybodys = `
  1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 169.253.255.255 169.255.0.0
  172.15.255.255 172.32.0.0 191.255.255.255 192.0.1.0 192.0.3.0 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0
  203.0.112.255 203.0.114.0 223.255.255.255 ::ffff:8.8.8.8 2001:4860:4860::8888 2001:200::1 2606:4700:4700::1111 2a00::1
`
  .trim()
  .split(/\s+/)

const unreadable = [
  '',
  ' 8.8.8.8',
  '8.8.8.8 ',
  '8.8.8',
  '0x8.8.8.8',
  '010.8.8.8',
  '134744072',
  '8.8.8.8.',
  '256.1.1.1',
  '8.8.8.8/8',
]
const unreadable6 = ['[2a00::1]', '2a00::1%eth0', 'fe80::1%lo', '2a00:::1', 'localhost', 'example.com']

test.each(special)('%s is not public', (address) => {
  expect(isPublicAddress(address)).toBe(false)
  expect(isAllowedAddress(address, closed)).toBe(false)
})

test.each(everybodys)('%s is public', (address) => {
  expect(isPublicAddress(address)).toBe(true)
  expect(isAllowedAddress(address, closed)).toBe(true)
  expect(isAllowedAddress(address, open)).toBe(true)
})

test.each([...unreadable, ...unreadable6])('%j is not an address, and is refused under every policy', (text) => {
  expect(isPublicAddress(text)).toBe(false)
  expect(isAllowedAddress(text, open)).toBe(false)
})

test.each([
  '127.0.0.1',
  '::1',
  '10.1.2.3',
  '172.17.0.1',
  '192.168.0.1',
  '100.64.0.1',
  'fd12:3456::1',
  '::ffff:127.0.0.1',
])('the development setting allows %s', (address) => expect(isAllowedAddress(address, open)).toBe(true))

test.each([
  ...['169.254.169.254', '::ffff:169.254.169.254', 'fe80::1', 'fd00:ec2::254', 'fd20:ce::254', '100.100.100.200'],
  ...[
    '168.63.129.16',
    '0.0.0.0',
    '::',
    '224.0.0.1',
    '255.255.255.255',
    '192.0.0.192',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
  ],
])('the development setting does not allow %s', (address) => expect(isAllowedAddress(address, open)).toBe(false))

test('two spellings of one address are equal, and an unreadable one equals none', () => {
  expect(isSameAddress('::ffff:1.2.3.4', '1.2.3.4')).toBe(true)
  expect(isSameAddress('2A00:0::0:1', '2a00::1')).toBe(true)
  expect(isSameAddress('1.2.3.4', '1.2.3.5')).toBe(false)
  expect(isSameAddress('nonsense', 'nonsense')).toBe(false)
})
