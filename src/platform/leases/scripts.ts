/**
 * The leases' operations as Redis sees them: one Lua script each, hence atomic and one round trip. Time is Redis's own.
 *
 * A lease is the string '<token> <expiresAt, epoch ms> <holder>'. It outlives its expiry by `rememberMs`; a released one
 * keeps its token alone, '<token> 0 '. A token is microseconds of the clock, or the last token plus one where that is more;
 * Lua's numbers are doubles, exact to 2^53, and are written with %.0f because tostring() rounds to 14 digits.
 *
 * `take` and `read` touch several keys, and `take` and `renew` the counter besides, without a hash tag: one Redis (with
 * replicas or Sentinel, if wanted), not Redis Cluster, where keys of different slots can't meet in one script.
 */

const clock = `
local time = redis.call('TIME')
local micros = time[1] * 1000000 + time[2]
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function whole(number) return string.format('%.0f', number) end
`

/** A day: longer than any lease, so that a counter is only forgotten once the clock has long overtaken it. */
const counterMs = 24 * 60 * 60_000

/**
 * KEYS counter, lease…; ARGV holder, ttlMs, rememberMs, the greatest token that the caller knows of (a replica that took
 * over may have lost the newest, and its clock may be behind). → [index from 1, token, expiresAt], or nil when all are held.
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
 * KEYS counter, lease; ARGV holder, ttlMs, rememberMs, the greatest token that the caller knows of, token.
 * → [token, expiresAt], or nil when the token is not current.
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

/** KEYS lease; ARGV token, rememberMs. → the token, or nil when it is not current. */
export const release = `
local lease = redis.call('GET', KEYS[1])
if not lease then return nil end
local token, expiresAt = string.match(lease, '^(%d+) (%d+) ')
if token ~= ARGV[1] or expiresAt == '0' then return nil end
redis.call('SET', KEYS[1], token .. ' 0 ', 'PX', ARGV[2])
return tonumber(token)`

/** KEYS lease…. → index from 1, token, expiresAt, holder of each that is held, in one flat list. */
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

/** KEYS probe. → 'OK' where a lease could be written now, which a replica or a full Redis can't although it answers PING. */
export const probe = `return redis.call('SET', KEYS[1], '1', 'PX', 1000)`
