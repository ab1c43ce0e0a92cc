import type { ApprovalView } from '../operator/approval.ts';

/** The answer in place of a change that another person has to confirm: 202. */
export class Proposed {
  readonly approval: ApprovalView;

  constructor(approval: ApprovalView) {
    this.approval = approval;
  }
}
