import { describeFiles } from '../describe-files';

describeFiles('apps/agent');
