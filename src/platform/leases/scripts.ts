/**
 * The operations on leases: one Lua script each, hence atomic and one round trip. Time is Redis's clock.
 *
 * A lease is the string '<token> <expiresAt, epoch ms> <holder>', kept for `rememberMs` after its expiry; a released lease
 * keeps only its token, '<token> 0 '. A token is the clock in microseconds, or the last token plus one if that is greater.
 * Lua numbers are doubles, exact to 2^53, and are formatted with %.0f because tostring() rounds to 14 digits.
 *
 * `take` and `read` access several keys, and `take` and `renew` also the counter, without a hash tag: they need one Redis
 * (with replicas or Sentinel, if desired), not Redis Cluster, where one script cannot access keys of different slots.
 */

const clock = `
local time = redis.call('TIME')
local micros = time[1] * 1000000 + time[2]
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function whole(number) return string.format('%.0f', number) end
`

/** A day: longer than any lease, so that the counter expires only when the clock is far ahead of it. */
const counterMs = 24 * 60 * 60_000

/**
 * KEYS counter, lease…; ARGV holder, ttlMs, rememberMs, the greatest token that the caller knows (a promoted replica may lack
 * the newest, and its clock may be behind). → [index from 1, token, expiresAt], or nil if all are held.
 */
export const take = `${clock}
for index = 2, #KEYS do
  local lease = redis.call('GET', KEYS[index])
  if not lease or tonumber(string.match(lease, '^%d+ (%d+) ')) <= now then
    local last = math.max(tonumber(redis.call('GET', KEYS[1]) or 0), tonumber(ARGV[4]))
    local token = math.max(last + 1, micros)
    local expiresAt = now + ARGV[2]
    redis.call('SET', KEYS[1], whole(token), 'PX', ${counterMs})
    redis.call('SET', KEYS[index], whole(token) .. ' ' .. whole(expiresAt) .. ' ' .. ARGV[1], 'PX', ARGV[2] + ARGV[3])
    return { index - 1, token, expiresAt }
  end
end
return nil`

/**
 * KEYS counter, lease; ARGV holder, ttlMs, rememberMs, the greatest token that the caller knows, token.
 * → [token, expiresAt], or nil if the token is not current.
 */
export const renew = `${clock}
local lease = redis.call('GET', KEYS[2])
if lease then
  local token, holder = string.match(lease, '^(%d+) %d+ (.*)$')
  if token ~= ARGV[5] or holder ~= ARGV[1] then return nil end
else
  -- Memory was lost. A token beyond the greatest that can have been given is not one of ours.
  local last = tonumber(redis.call('GET', KEYS[1]) or 0)
  local token = tonumber(ARGV[5])
  if token > math.max(last, micros, tonumber(ARGV[4])) then return nil end
  redis.call('SET', KEYS[1], whole(math.max(last, token)), 'PX', ${counterMs})
end
local expiresAt = now + ARGV[2]
redis.call('SET', KEYS[2], ARGV[5] .. ' ' .. whole(expiresAt) .. ' ' .. ARGV[1], 'PX', ARGV[2] + ARGV[3])
return { tonumber(ARGV[5]), expiresAt }`

/** KEYS lease; ARGV token, rememberMs. → the token, or nil if it is not current. */
export const release = `
local lease = redis.call('GET', KEYS[1])
if not lease then return nil end
local token, expiresAt = string.match(lease, '^(%d+) (%d+) ')
if token ~= ARGV[1] or expiresAt == '0' then return nil end
redis.call('SET', KEYS[1], token .. ' 0 ', 'PX', ARGV[2])
return tonumber(token)`

/** KEYS lease…. → index from 1, token, expiresAt, holder of each held lease, in one flat list. */
export const read = `${clock}
local held = {}
for index = 1, #KEYS do
  local lease = redis.call('GET', KEYS[index])
  if lease then
    local token, expiresAt, holder = string.match(lease, '^(%d+) (%d+) (.*)$')
    if tonumber(expiresAt) > now then
      local last = #held
      held[last + 1], held[last + 2], held[last + 3], held[last + 4] = index, tonumber(token), tonumber(expiresAt), holder
    end
  end
end
return held`

/** KEYS probe. → 'OK' if a lease could be written now; a replica or a full Redis cannot, although it answers PING. */
export const probe = `return redis.call('SET', KEYS[1], '1', 'PX', 1000)`
