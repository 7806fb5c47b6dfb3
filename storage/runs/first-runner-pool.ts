/** The pool of runners that every store has from its first start on, and the token that the operator gives it. */
export const firstPoolId = 'rpl_00000000000000000000000001'
/** The token of `TROUPE_RUNNER_TOKEN`, whose secret is not in the store. */
export const operatorTokenId = 'rtk_00000000000000000000000001'
