/** Heartbeats whose answers arrive late, when the servers of the store have been read again meanwhile. */
import { expect, test } from 'bun:test'
import { SharedMembers } from '../../../src/platform/members/shared-members.ts'
import { parseKeyRing } from '../../../src/platform/secrets/keyring.ts'
import type { Beat, Joining, MemberRow } from '../../../storage/postgres/membership.ts'
import { quiet } from '../../runtime/support/clock.ts'

const row = (id: string): MemberRow => ({
  id,
  version: '1',
  started_at: 1,
  beat_at: 1,
  skew_ms: 0,
  slots: '[]',
  master_keys: null,
})
const beatOf = (...ids: string[]): Beat => ({ members: ids.map(row), slots: [0, 1], isShort: false, at: 1 })

/** A store whose heartbeats are answered by hand. */
class Membership {
  readonly isPresent = true
  own = ''
  members: string[] = []
  readonly sent = Promise.withResolvers<(beat: Beat) => void>()
  nameOfStore = async () => 'store'
  join = async ({ id }: Joining) => {
    this.own = id
    return beatOf(id)
  }
  beat = () => new Promise<Beat>((resolve) => this.sent.resolve(resolve))
  list = async () => [this.own, ...this.members].map(row)
  leave = async () => {}
}

test('a server that joined after a heartbeat was sent does not count as dead when its answer arrives', async () => {
  const store = new Membership()
  const members = await SharedMembers.join({
    membership: store as never,
    isShared: true,
    version: '1',
    publicUrl: null,
    ring: parseKeyRing(`test:${Buffer.alloc(32).toString('base64')}`),
    beatMs: 1,
    onError: (error) => {
      throw error
    },
  })
  const lost: string[] = []
  members.onLoss(() => lost.push('one'))
  const answer = await store.sent.promise
  store.members = ['joined']
  expect(await members.look()).toContain('joined')
  answer(beatOf(members.id))
  await quiet()
  await members.leave()
  expect([...members.living]).toEqual([members.id, 'joined'])
  expect(lost).toEqual([])
})
