/** The address that a server prints for people, by the host on which it listens. */

import { expect, test } from 'bun:test'
import { networkInterfaces } from 'node:os'
import { openTroupe } from '../../support/troupe.ts'

const hasIpv6 = Object.values(networkInterfaces()).some((each) => each?.some(({ address }) => address === '::1'))

test.skipIf(!hasIpv6).each([
  ['::1', '[::1]'],
  ['::', '[::1]'],
])('TROUPE_HOST=%s is reached at %s', async (host, shown) => {
  const { url, owner, stop } = await openTroupe({ environment: { TROUPE_HOST: host, TROUPE_RUNNER: 'none' } })
  try {
    expect(new URL(url).hostname).toBe(shown)
    expect((await owner.get('/healthz')).status).toBe(200)
  } finally {
    await stop()
  }
})
