import { describeFiles } from '../describe-files';

describeFiles('apps/agent');
describeFiles('apps/all-in-one');
describeFiles('apps/cli');
