/** Contract 0, "Refusals": a request that changes nothing has an empty `changed`. */
import { expect, test } from 'bun:test'
import { changedFields } from '../../../src/platform/http/changes/changed-fields.ts'

const before = { id: 'x', name: 'Name', slug: null, tags: ['a', 'b'], settings: { a: { b: 1 } }, size: 1 }

const rows: [string, unknown, unknown, object | undefined, string[]][] = [
  ['nothing given', {}, { data: before }, before, []],
  ['no body', undefined, undefined, before, []],
  ['a list as the body', [1], undefined, before, []],
  ['equal values', { name: 'Name', slug: null, size: 1 }, { data: { id: 'x' } }, before, []],
  ['an equal list and object', { tags: ['a', 'b'], settings: { a: { b: 1 } } }, undefined, before, []],
  ['another order of a list', { tags: ['b', 'a'] }, undefined, before, ['tags']],
  ['one of several fields', { size: 2, name: 'Name' }, undefined, before, ['size']],
  ['several fields, in order', { size: 2, name: 'Other' }, undefined, before, ['name', 'size']],
  ['null in place of a value', { name: null }, undefined, before, ['name']],
  ['a value that the answer shows in another form', { name: ' Name ' }, { data: { name: 'Name' } }, before, []],
  ['a value that is never shown', { secret: 'value' }, { data: before }, before, ['secret']],
  ['a condition', { expectedSize: 1, size: 2 }, undefined, before, ['size']],
  ["a session's token", { csrfToken: 'value', planKey: 'pro' }, undefined, undefined, ['planKey']],
  ['something new', { slug: 's', name: 'Name' }, { data: { id: 'x', name: 'Name' } }, undefined, ['name', 'slug']],
]
test.each(rows)('%s', (_, body, answer, was, changed) => {
  expect(changedFields(body, answer, was)).toEqual(changed)
})
